import { type RefusalKind, refusals as refusalKinds } from '@yardmaster/contract/problem'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Metrics of this host. No label has an id or a text of a caller as its value, so the number of series is bounded. Values that
 * are in the database are read at each scrape.
 */
export type Metrics = {
  registry: Registry
  requestSeconds: Histogram<'method' | 'route' | 'status'>
  refusals: Counter<'kind'>
  turnSeconds: Histogram<'outcome'>
  turnFailures: Counter<'reason'>
  recoveries: Counter<'cause'>
  fires: Counter<'by' | 'outcome'>
  unclassifiedAccountErrors: Counter<'reason'>
  jobs: Counter<'queue' | 'job' | 'outcome'>
  periodicRuns: Counter<'name' | 'outcome'>
  subscriptionEvents: Counter<'subscription' | 'outcome'>
  spans: Counter<'outcome'>
  /**
   * Metrics that are made of one reading, which all of them share in a scrape. A reading that fails leaves them out and is counted:
   * the rest of the scrape tells more when the database is away than a failed scrape does.
   */
  registerReading<Reading>(source: string, read: () => Promise<Reading>, made: readonly Made<Reading>[]): void
}

export type Made<Reading> = {
  name: string
  help: string
  /** Default `gauge`. */
  type?: 'gauge' | 'counter'
  labels?: readonly string[]
  values(reading: Reading): Iterable<readonly [labels: Record<string, string>, value: number]>
}

/** Turns take from less than a second to hours. */
const turnBuckets = [1, 5, 15, 60, 300, 900, 3600, 14_400]
/** A request that waits for another host may take minutes. */
const requestBuckets = [0.01, 0.05, 0.25, 1, 5, 30]

/** `host` is on every series: several hosts behind one address, or on one machine, are told apart by it. */
export function openMetrics({ host }: { host?: string } = {}): Metrics {
  const registry = new Registry()
  if (host !== undefined) registry.setDefaultLabels({ host })
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers })
  const failedReadings = counter(
    'yardmaster_scrape_failures_total',
    'Parts of a scrape that could not be read and were left out, by source.',
    ['source'],
  )
  const refusals = counter('yardmaster_refusals_total', 'Refusals that callers were answered with, by kind.', ['kind'])
  for (const kind of Object.keys(refusalKinds) as RefusalKind[]) refusals.inc({ kind }, 0) // Object.keys loses the key type
  return {
    registry,
    refusals,
    requestSeconds: new Histogram({
      name: 'yardmaster_http_request_seconds',
      help: 'How long requests took until their answer was sent, by method, route and class of status. Event streams are left out.',
      labelNames: ['method', 'route', 'status'],
      buckets: requestBuckets,
      registers,
    }),
    turnSeconds: new Histogram({
      name: 'yardmaster_turn_seconds',
      help: 'How long turns took on this host, from claim to end, by outcome.',
      labelNames: ['outcome'],
      buckets: turnBuckets,
      registers,
    }),
    turnFailures: counter('yardmaster_turn_failures_total', 'Turns that failed on this host, by reason.', ['reason']),
    recoveries: counter(
      'yardmaster_recoveries_total',
      'Turns that this host recovered after its own crash or took over from another host.',
      ['cause'],
    ),
    unclassifiedAccountErrors: counter(
      'yardmaster_unclassified_account_errors_total',
      'Failures of vendor accounts that had no structured sign of their cause, by reason. Each deserves a look.',
      ['reason'],
    ),
    fires: counter('yardmaster_fires_total', 'Fires of triggers on this host, by what fired them and outcome.', [
      'by',
      'outcome',
    ]),
    jobs: counter('yardmaster_jobs_total', 'Runs of jobs on this host, by queue, class and outcome.', [
      'queue',
      'job',
      'outcome',
    ]),
    periodicRuns: counter(
      'yardmaster_periodic_runs_total',
      'Runs of periodic tasks on this host, by outcome: succeeded, failed, or database_unavailable.',
      ['name', 'outcome'],
    ),
    subscriptionEvents: counter(
      'yardmaster_subscription_events_total',
      'Events that subscriptions handled on this host, by outcome: handled, retried, or failed.',
      ['subscription', 'outcome'],
    ),
    spans: counter('yardmaster_spans_total', 'Spans of traces, by outcome: exported or dropped.', ['outcome']),
    registerReading: (source, read, made) => {
      failedReadings.inc({ source }, 0)
      const reading = sharedReading(read, () => failedReadings.inc({ source }))
      for (const each of made) registerMade(registry, each, reading)
    },
  }
}

/** The metrics of one scrape are collected in one go, so they find the reading that the first of them began. */
function sharedReading<Reading>(
  read: () => Promise<Reading>,
  onFailed: () => void,
): () => Promise<Reading | undefined> {
  let underway: Promise<Reading | undefined> | undefined
  const begin = async (): Promise<Reading | undefined> => {
    try {
      return await read()
    } catch {
      onFailed()
      return undefined
    } finally {
      underway = undefined
    }
  }
  return () => {
    underway ??= begin()
    return underway
  }
}

function registerMade<Reading>(
  registry: Registry,
  { name, help, type = 'gauge', labels = [], values }: Made<Reading>,
  read: () => Promise<Reading | undefined>,
): void {
  const kind = type === 'gauge' ? Gauge : Counter
  new kind({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const reading = await read()
      this.reset()
      if (reading === undefined) {
        // A metric without labels would be reset to 0.
        this.remove({})
        return
      }
      for (const [about, value] of values(reading)) this.inc(about, value)
    },
  })
}
