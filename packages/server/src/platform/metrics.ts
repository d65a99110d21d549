import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of this host. Gauges whose values are in the database are read at each scrape. */
export type Metrics = {
  registry: Registry
  turnSeconds: Histogram<'outcome'>
  recoveries: Counter<'cause'>
  periodicRuns: Counter<'name' | 'outcome'>
  subscriptionEvents: Counter<'subscription' | 'outcome'>
  /** A gauge that is read at each scrape: one value, or one for each value of `label`. */
  registerGauge(gauge: {
    name: string
    help: string
    label?: string
    read(): Promise<number | Map<string, number>>
  }): void
}

/** Turns take from less than a second to hours. */
const turnBuckets = [1, 5, 15, 60, 300, 900, 3600, 14_400]

export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    turnSeconds: new Histogram({
      name: 'yardmaster_turn_seconds',
      help: 'How long turns took on this host, from claim to end.',
      labelNames: ['outcome'],
      buckets: turnBuckets,
      registers,
    }),
    recoveries: new Counter({
      name: 'yardmaster_recoveries_total',
      help: 'Turns that this host recovered after its own crash or took over from another host.',
      labelNames: ['cause'],
      registers,
    }),
    periodicRuns: new Counter({
      name: 'yardmaster_periodic_runs_total',
      help: 'Runs of periodic tasks on this host, by outcome: succeeded, failed, or database_unavailable.',
      labelNames: ['name', 'outcome'],
      registers,
    }),
    subscriptionEvents: new Counter({
      name: 'yardmaster_subscription_events_total',
      help: 'Events that subscriptions handled on this host, by outcome: handled, retried, or failed.',
      labelNames: ['subscription', 'outcome'],
      registers,
    }),
    registerGauge: ({ name, help, label, read }) => {
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        async collect() {
          const result = await read()
          this.reset()
          if (typeof result === 'number') this.set(result)
          else for (const [value, count] of result) this.set({ [label ?? '']: value }, count)
        },
      })
    },
  }
}
