import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { transact } from '../../../src/platform/db/transact.ts'
import { openBroadcasts } from '../../../src/platform/events/broadcasts.ts'
import { defineEvent } from '../../../src/platform/events/event.ts'
import { broadcast, type TransientEvent } from '../../../src/platform/events/publish.ts'
import type { Signals } from '../../../src/platform/events/signals.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openEventHost } from '../../support/events/event-host.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const grown = defineEvent({ name: 'line.grown', payload: z.object({ to: z.number(), text: z.string().optional() }) })

describe('what is sent', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('a thousand events of one subject become one signal at once and one every 250 ms, with nothing missing', () => {
    const { send, sent } = recorded()
    for (let to = 1; to <= 1000; to += 1) send(event(1, to))
    vi.advanceTimersByTime(0)
    expect(sent.map(({ payload }) => payload)).toEqual([{ to: 1000 }])
    send(event(1, 1001))
    send(event(1, 1002))
    vi.advanceTimersByTime(249)
    expect(sent).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(sent.at(-1)?.payload).toEqual({ to: 1002 })
    vi.advanceTimersByTime(60_000)
    expect(sent).toHaveLength(2)
  })

  test('events of many sessions share signals of less than 8,000 bytes, and one that fits in none is dropped', () => {
    const { send, sent, signals } = recorded()
    for (let session = 1; session <= 500; session += 1) send(event(session, session))
    send(event(501, 1, 'ä'.repeat(5000)))
    vi.advanceTimersByTime(0)
    expect(sent).toHaveLength(500)
    expect(signals.length).toBeLessThan(20)
    for (const data of signals) expect(Buffer.byteLength(data)).toBeLessThan(7900)
  })

  test('an unreadable signal is ignored', () => {
    const { receive, sent } = recorded()
    for (const data of [undefined, '', '{', 'null', '[1]', '[{"name":"x"}]']) receive(data)
    expect(sent).toEqual([])
  })
})

test('a transient event reaches the followers of every host after the commit, and none after a rollback', async () => {
  const { url } = await testDatabase()
  const [one, other] = await Promise.all([openEventHost(url), openEventHost(url)])
  const heard = [one, other].map(({ events }) => {
    const received: unknown[] = []
    events.follow({
      onEvents: () => undefined,
      onTransient: (all) => received.push(...all.map(({ session_id, payload }) => ({ session_id, ...payload }))),
      onClosed: () => undefined,
    })
    return received
  })
  const tell = (to: number, isKept: boolean) =>
    transact(one.db, async (tx) => {
      broadcast(tx, grown, {
        sessionId: 7,
        subject: 'main',
        payload: { to, text: 'a b\n"ü"' },
        merge: (_, later) => later,
      })
      if (!isKept) throw new Error('rolled back')
    })
  await expect(tell(1, false)).rejects.toThrow('rolled back')
  await tell(2, true)
  await eventually(
    async () => heard.every(({ length }) => length > 0),
    (isHeard) => isHeard,
  )
  for (const received of heard) expect(received).toEqual([{ session_id: 7, to: 2, text: 'a b\n"ü"' }])
})

function event(session_id: number, to: number, text?: string): TransientEvent {
  return {
    name: grown.name,
    session_id,
    subject: 'main',
    payload: { to, ...(text !== undefined && { text }) },
    merge: (earlier, later) => ({
      ...later,
      to: Math.max(Number(Reflect.get(earlier, 'to')), Number(Reflect.get(later, 'to'))),
    }),
  }
}

/** Broadcasts whose signals arrive at once. */
function recorded() {
  const signals: string[] = []
  const sent: { session_id: number; payload: object }[] = []
  let onSignal: (data?: string) => void = () => undefined
  const transport: Signals = {
    announce: async (_topic, data) => {
      if (data !== undefined) signals.push(data)
      onSignal(data)
    },
    listen: (_topic, listener) => {
      onSignal = listener
      return () => undefined
    },
    close: async () => undefined,
  }
  const { send } = openBroadcasts({ signals: transport, onEvents: (events) => sent.push(...events) })
  return { send, sent, signals, receive: (data?: string) => onSignal(data) }
}
