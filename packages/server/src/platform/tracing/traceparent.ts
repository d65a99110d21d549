import { workUnderway } from '../log/work-context.ts'

export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

// Later versions may append fields; version ff is invalid.
const form = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Reads a `traceparent` header (W3C Trace Context). Undefined if it is not one. */
export function readTraceparent(header: unknown): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    form.exec(typeof header === 'string' ? header : '') ?? []
  if (version === undefined || (version === '00' && more !== undefined)) return undefined
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The `traceparent` of the span underway, to be stored or sent. Null where nothing is traced. */
export function traceparent(): string | null {
  const { trace_id, span_id, trace_flags } = workUnderway()
  return trace_id === undefined ? null : `00-${trace_id}-${span_id}-${trace_flags}`
}
