import { expect, test } from 'vitest'
import { type FollowedThreads, followThreads } from '../../../src/domain/chat/threads.ts'
import type { Chat } from '../../../src/platform/chat/chat.ts'

const now = new Date('2026-11-16T12:00:00Z')
const daysAgo = (days: number, fraction = '000000') => `${Math.floor(now.getTime() / 1000) - days * 86_400}.${fraction}`

/** The state of one follower after so many polls of a channel without new replies, and the threads that were asked about. */
async function after(threads: FollowedThreads, polls = 1): Promise<{ state: FollowedThreads; asked: string[] }> {
  const condition = { configuration: { event_type: 'bot_mention' } }
  let state = threads
  const asked: string[] = []
  const chat = {
    thread: async (_channel: string, ts: string) => {
      asked.push(ts)
      return { parent: undefined, replies: [] }
    },
  } as unknown as Chat // the poll asks for nothing else
  for (let poll = 0; poll < polls; poll += 1) {
    const follower = { condition, cursor: { since: daysAgo(60), threads: state }, isNew: false } as never // only what is read
    const followed = await followThreads(chat, 'C1', { newest: [], followers: [follower], now })
    state = followed.stateOf(follower)
  }
  return { state, asked }
}
const seen = (entries: [string, string][]): FollowedThreads => ({
  polls: 0,
  seen: Object.fromEntries(entries.map(([thread, ts]) => [thread, { ts, checked: 0 }])),
})

test('a thread is forgotten 45 days after its last reply, however old its first message is', async () => {
  const { state } = await after(
    seen([
      [daysAgo(80, '000001'), daysAgo(44)],
      [daysAgo(46, '000002'), daysAgo(45, '000000')],
      [daysAgo(46, '000003'), daysAgo(46)],
    ]),
  )
  expect(Object.keys(state.seen)).toEqual([daysAgo(80, '000001')])
})

test('a channel keeps the 500 threads with the newest replies', async () => {
  const entries = Array.from({ length: 700 }, (_, number): [string, string] => [
    daysAgo(40, String(number).padStart(6, '0')),
    daysAgo(10, String(number).padStart(6, '0')),
  ])
  const { state } = await after(seen(entries))
  expect(Object.keys(state.seen)).toHaveLength(500)
  expect(state.seen[daysAgo(40, '000699')]).toBeDefined()
  expect(state.seen[daysAgo(40, '000199')]).toBeUndefined()
})

test('of older threads 20 a poll are looked at, each of them in turn', async () => {
  const entries = Array.from({ length: 50 }, (_, number): [string, string] => [
    daysAgo(40, String(number).padStart(6, '0')),
    daysAgo(10),
  ])
  const { asked } = await after(seen(entries), 3)
  expect(asked).toHaveLength(60)
  expect(new Set(asked).size).toBe(50)
})
