import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { outsideWork } from '../log/work-context.ts'
import type { Metrics } from '../metrics.ts'
import { retryAfterSeconds } from '../retry-after.ts'

/** A span in the JSON form of OTLP. */
export type OtlpSpan = { traceId: string; spanId: string; name: string } & Record<string, unknown>

export type Exporter = {
  /** Never waits and never throws. A span that finds the queue full is dropped. */
  add(span: OtlpSpan): void
  close(): Promise<void>
}

export type ExporterOptions = {
  url: string
  headers: ReadonlyMap<string, string>
  /** Everything of a request but the spans. */
  wrap(spans: readonly OtlpSpan[]): unknown
  metrics: Pick<Metrics, 'spans'>
  log: Log
  /** Instead of the usual ones. */
  limits?: Partial<typeof defaultLimits>
}

const defaultLimits = {
  /** About a kilobyte each. */
  queued: 2048,
  batch: 512,
  intervalMs: 5000,
  requestMs: 10_000,
  attempts: 5,
  firstDelayMs: 1000,
  /** Also of a delay that the collector asks for: what waits is bounded, and later spans say more than old ones. */
  maxDelayMs: 60_000,
  closeMs: 2000,
}

const answerBytes = 64 * 1024

/**
 * Sends spans to a collector by OTLP over HTTP, as JSON, one request at a time. Nothing waits for it: a collector that is slow or
 * away costs the spans, not the turns.
 */
export function openExporter({ url, headers, wrap, metrics, log, limits }: ExporterOptions): Exporter {
  const { queued, batch, intervalMs, requestMs, attempts, firstDelayMs, maxDelayMs, closeMs } = {
    ...defaultLimits,
    ...limits,
  }
  const queue: OtlpSpan[] = []
  const closing = new AbortController()
  const closed = new AbortController()
  const failureLevel = retryLevel()
  let sending: Promise<void> | undefined
  const count = (outcome: string, spans: number): void => metrics.spans.inc({ outcome }, spans)

  const send = async (spans: readonly OtlpSpan[]): Promise<void> => {
    const body = JSON.stringify(wrap(spans))
    for (let attempt = 1; ; attempt += 1) {
      const failure = await post(body)
      if (!failure) {
        count('exported', spans.length)
        failureLevel.reset()
        return
      }
      const mayRetry = failure.isPassing && attempt < attempts && !closing.signal.aborted
      log[failureLevel.of(new Error(failure.reason))](
        { reason: failure.reason, spans: spans.length, mayRetry },
        'the collector did not take the spans',
      )
      if (!mayRetry) {
        count('dropped', spans.length)
        return
      }
      const delayMs = failure.delayMs ?? firstDelayMs * 2 ** (attempt - 1)
      await wait(Math.min(delayMs, maxDelayMs), undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      )
    }
  }
  const post = async (body: string): Promise<Failure | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([closed.signal, AbortSignal.timeout(requestMs)]),
      })
      const text = await readStart(response)
      return response.ok ? rejected(text) : failureOf(response)
    } catch (error) {
      return { reason: reasonOf(error), isPassing: true }
    }
  }
  /** A collector may answer 200 and say that it took only some. */
  const rejected = (text: string): undefined => {
    const spans = rejectedSpans(text)
    if (spans > 0) log.warn({ spans }, 'the collector rejected spans')
    return undefined
  }
  const pump = async (): Promise<void> => {
    while (queue.length > 0 && !closed.signal.aborted) await send(queue.splice(0, batch))
  }
  const flush = (): void => {
    sending ??= outsideWork(pump).finally(() => {
      sending = undefined
    })
  }
  const ticks = setInterval(flush, intervalMs)
  ticks.unref()
  return {
    add: (span) => {
      if (queue.length >= queued || closing.signal.aborted) {
        count('dropped', 1)
        return
      }
      queue.push(span)
      if (queue.length >= batch) flush()
    },
    close: async () => {
      clearInterval(ticks)
      closing.abort()
      const timeout = setTimeout(() => closed.abort(), closeMs)
      flush()
      while (sending) await sending
      clearTimeout(timeout)
      count('dropped', queue.splice(0).length)
    },
  }
}

type Failure = { reason: string; isPassing: boolean; delayMs?: number }

function failureOf({ status, headers }: Response): Failure {
  const isPassing = [408, 429, 502, 503, 504].includes(status)
  const seconds = retryAfterSeconds(headers.get('retry-after') ?? undefined)
  return { reason: `it answered ${status}`, isPassing, ...(seconds !== undefined && { delayMs: seconds * 1000 }) }
}

/** The cause of a failed fetch is more useful than its own message. */
function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}

/** The end of an answer that does not end is not read. */
async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > answerBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function rejectedSpans(text: string): number {
  try {
    const spans = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans)
    return Number.isSafeInteger(spans) ? spans : 0
  } catch {
    return 0
  }
}
