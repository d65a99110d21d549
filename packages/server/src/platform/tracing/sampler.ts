import type { TraceContext } from './traceparent.ts'

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** As OTEL_TRACES_SAMPLER and its argument say: whether the spans of a trace are sent. */
export type Sampler = { kind: (typeof samplers)[number]; ratio: number }

export function isSampled({ kind, ratio }: Sampler, traceId: string, parent: TraceContext | undefined): boolean {
  if (parent && kind.startsWith('parentbased_')) return parent.isSampled
  switch (kind.replace('parentbased_', '')) {
    case 'always_on':
      return true
    case 'always_off':
      return false
    default:
      // The last 56 bits are random, and every host decides alike by them.
      return Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56
  }
}
