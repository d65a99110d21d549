import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics.ts'
import { truncate } from '../truncate.ts'
import { version } from '../version.ts'
import { type ExporterOptions, type OtlpSpan, openExporter } from './otlp-exporter.ts'
import { isSampled, type Sampler } from './sampler.ts'
import { readTraceparent, traceparent } from './traceparent.ts'
import type { Attributes, Span, SpanAbout, Tracing } from './tracing.ts'

export type TracingOptions = {
  /** Of the collector; the path of traces is appended. */
  endpoint: string
  headers: ReadonlyMap<string, string>
  /** What every span of this host says about the host. */
  resource: Attributes
  sampler: Sampler
  clock: Clock
  metrics: Pick<Metrics, 'spans'>
  log: Log
  limits?: ExporterOptions['limits']
}

/** Importing this file loads everything that tracing needs, so import it when a collector is configured. */
export function openTracing({
  endpoint,
  headers,
  resource,
  sampler,
  clock,
  metrics,
  log,
  limits,
}: TracingOptions): Tracing {
  const exporter = openExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers,
    wrap: (spans) => ({
      resourceSpans: [
        { resource: { attributes: listed(resource) }, scopeSpans: [{ scope: { name: 'yardmaster', version }, spans }] },
      ],
    }),
    metrics,
    log,
    ...(limits && { limits }),
  })
  const begin = ({ name, kind = 'internal', parent: given = traceparent(), attributes = {} }: SpanAbout): Span => {
    const parent = readTraceparent(given)
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    const spanId = randomBytes(8).toString('hex')
    const sampled = isSampled(sampler, traceId, parent)
    const startedAt = clock.now().getTime()
    const startedMs = performance.now()
    const known = { ...attributes }
    let failure: string | undefined
    let isOver = false
    return {
      context: { trace_id: traceId, span_id: spanId, trace_flags: sampled ? '01' : '00' },
      set: (more) => void Object.assign(known, more),
      fail: (type) => {
        failure = type
      },
      end: () => {
        if (isOver || !sampled) return
        isOver = true
        exporter.add({
          traceId,
          spanId,
          ...(parent && { parentSpanId: parent.spanId }),
          name,
          kind: kinds[kind],
          startTimeUnixNano: nanoseconds(startedAt),
          endTimeUnixNano: nanoseconds(startedAt + performance.now() - startedMs),
          attributes: listed(failure === undefined ? known : { ...known, 'error.type': failure }),
          status: { code: failure === undefined ? statusUnset : statusError },
        } satisfies OtlpSpan)
      },
    }
  }
  return { isOn: true, begin, close: exporter.close }
}

const kinds = { internal: 1, server: 2 } as const
const statusUnset = 0
const statusError = 2
const maxValue = 256

function listed(attributes: Attributes): { key: string; value: Record<string, unknown> }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: typed(value) }))
}

function typed(value: string | number | boolean): Record<string, unknown> {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: truncate(value, maxValue) }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** As text, because the number has more digits than a double keeps. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}
