import { expect, test } from 'vitest'
import { openQuestionMemory } from '../../../src/domain/elicitations/elicitation.ts'
import { openReachability } from '../../../src/domain/elicitations/reachability.ts'
import type { Events } from '../../../src/platform/events/events.ts'

/** A memory whose two clocks a test moves, and the events that it hears. */
function memory() {
  let wall = Date.UTC(2026, 0, 1)
  let monotonic = 0
  let hear: Parameters<Events['follow']>[0] | undefined
  const follow = (reader: NonNullable<typeof hear>): void => {
    hear = reader
  }
  const events = { follow } as unknown as Events // all that it uses
  const questions = openQuestionMemory({
    events,
    clock: { now: () => new Date(wall) },
    monotonicMs: () => monotonic,
  })
  const row = (session_id: number) => ({
    session_id,
    namespace: 'com.acme',
    request_id: 'r',
    expires_at: new Date(wall + 3_600_000),
  })
  return {
    questions,
    row,
    know: (session_id: number, token: string) => {
      questions.reading(token).owner({ session_id, run_marker: 'm' })
      questions.reading(token).pending(row(session_id))
    },
    pass: (ms: number) => {
      wall += ms
      monotonic += ms
    },
    stepWallClock: (ms: number) => {
      wall += ms
    },
    lose: () => hear?.onClosed(),
  }
}

test('what is known is fresh for half a minute, whatever steps the wall clock takes', () => {
  const { questions, know, pass, stepWallClock } = memory()
  know(1, 'a')
  stepWallClock(-3_600_000)
  expect(questions.pendingOf('a', 'r')).toBeDefined()
  pass(31_000)
  expect(questions.pendingOf('a', 'r')).toBeUndefined()
  pass(15_000)
  expect(questions.ownerOf('a')).toBeUndefined()
})

test('a poll that is read from the database keeps its token known, so that each costs one query in half a minute', () => {
  const { questions, know, row, pass } = memory()
  know(1, 'a')
  for (let polls = 0; polls < 5; polls += 1) {
    pass(31_000)
    expect([questions.ownerOf('a'), questions.pendingOf('a', 'r')]).toEqual([expect.anything(), undefined])
    questions.reading('a').pending(row(1))
  }
  expect(questions.pendingOf('a', 'r')).toMatchObject({ action: 'pending', _meta: { 'com.acme/request-id': 'r' } })
})

test("an event about one session discards that session's reads, and no other's", () => {
  const { questions, row } = memory()
  const [own, other] = [questions.reading('a'), questions.reading('b')]
  questions.forget(1)
  own.owner({ session_id: 1, run_marker: 'm' })
  other.owner({ session_id: 2, run_marker: 'm' })
  expect([questions.ownerOf('a'), questions.ownerOf('b')]).toEqual([undefined, expect.anything()])
  const pending = questions.reading('b')
  questions.forget(1)
  pending.pending(row(2))
  expect(questions.pendingOf('b', 'r')).toBeDefined()
})

test('a read is discarded when events were lost meanwhile, and when too many sessions changed to know', () => {
  const { questions, lose } = memory()
  const lost = questions.reading('a')
  lose()
  lost.owner({ session_id: 1, run_marker: 'm' })
  const crowded = questions.reading('b')
  for (let id = 1; id <= 6000; id += 1) questions.forget(id)
  crowded.owner({ session_id: 1, run_marker: 'm' })
  expect([questions.ownerOf('a'), questions.ownerOf('b')]).toEqual([undefined, undefined])
})

test('the service counts as reachable since its last outage, and since the last step of the clock', () => {
  let now = 1_000_000
  const { measure } = openReachability({ now: () => new Date(now) })
  const after = (ms: number) => {
    now += ms
    return measure(60_000)
  }
  expect([after(0), after(60_000), after(60_000)]).toEqual([0, 60_000, 120_000])
  expect([after(60_001), after(15_000)]).toEqual([0, 15_000])
  expect([after(-1), after(15_000)]).toEqual([0, 15_000])
})
