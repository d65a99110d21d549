import { describe, expect, test } from 'vitest'
import { inWork } from '../../../src/platform/log/work-context.ts'
import { readNameValues } from '../../../src/platform/tracing/name-value-list.ts'
import { isSampled } from '../../../src/platform/tracing/sampler.ts'
import { readTraceparent, traceparent } from '../../../src/platform/tracing/traceparent.ts'

const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]

describe('readTraceparent', () => {
  test.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`01-${traceId}-${spanId}-03-later`, true],
  ])('readTraceparent reads %s', (header, sampled) => {
    expect(readTraceparent(header)).toEqual({ traceId, spanId, isSampled: sampled })
  })

  test.each([
    undefined,
    '',
    'garbage',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
    [`00-${traceId}-${spanId}-01`],
  ])('readTraceparent ignores %j', (header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })
})

test('the traceparent of the work underway is that of its span, and null outside of one', () => {
  expect(traceparent()).toBeNull()
  inWork({ request_id: 'r' }, () => expect(traceparent()).toBeNull())
  inWork({ trace_id: traceId, span_id: spanId, trace_flags: '01' }, () =>
    expect(readTraceparent(traceparent())).toEqual({ traceId, spanId, isSampled: true }),
  )
})

test('a sampler decides by its kind, the parent and the id of the trace', () => {
  const of = (kind: Parameters<typeof isSampled>[0]['kind'], ratio: number, parent?: boolean) =>
    isSampled(
      { kind, ratio },
      `${'0'.repeat(18)}80000000000000`,
      parent === undefined ? undefined : { traceId, spanId, isSampled: parent },
    )
  expect([of('always_on', 0, false), of('always_off', 1, true)]).toEqual([true, false])
  expect([of('parentbased_always_on', 0, false), of('parentbased_always_off', 1, true)]).toEqual([false, true])
  expect([of('parentbased_always_on', 0), of('parentbased_always_off', 1)]).toEqual([true, false])
  expect([of('traceidratio', 0.5), of('traceidratio', 0.51), of('traceidratio', 1)]).toEqual([false, true, true])
  expect([of('parentbased_traceidratio', 0.1), of('parentbased_traceidratio', 0.1, true)]).toEqual([false, true])
})

test('a list of names and values is decoded, and anything else is refused', () => {
  expect(readNameValues(' a=1, b = x%2Cy ,,c=')).toEqual(
    new Map([
      ['a', '1'],
      ['b', 'x,y'],
      ['c', ''],
    ]),
  )
  for (const list of ['a', '=1', 'a=%', 'a=1,b']) expect(readNameValues(list)).toBeUndefined()
})
