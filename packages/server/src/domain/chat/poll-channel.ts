import { z } from 'zod'
import type { Chat, ListedMessage } from '../../platform/chat/chat.ts'
import { type ChatMessage, compareTs } from '../../platform/chat/message.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { readCursors, writeCursor } from '../triggers/trigger.ts'
import { fireMessages } from './fire-messages.ts'
import type { ChatCondition, Surroundings } from './match-message.ts'
import { type FollowedThreads, FollowedThreadsState, firstReplyAfter, followThreads } from './threads.ts'

/** A channel and the conditions that follow it. */
export type Watch = { channel: string; conditions: readonly ChatCondition[] }

/** How far a condition has read a channel. */
const ChannelCursor = z.object({
  /** The arming of the condition that it belongs to: a condition that is armed again starts with a new baseline. */
  armedAt: z.string(),
  /** The baseline: nothing at or before it fires the condition. */
  since: z.string(),
  ts: z.string(),
  threads: FollowedThreadsState,
})

export type Follower = { condition: ChatCondition; cursor: z.infer<typeof ChannelCursor>; isNew: boolean }

/** 500 messages since the last poll. A channel that is faster than that needs the webhook. */
const maxPages = 10
const beginning = '0.000000'

/**
 * Fires what is new in the channel, then moves the cursors past everything that was read, fired or not. A crash in between
 * repeats the reading, and the claims of the messages that have fired keep them from firing again. The first poll of a
 * condition only sets its baseline.
 */
export async function pollChannel(
  app: App,
  chat: Chat,
  { channel, conditions }: Watch,
  around: Surroundings,
): Promise<void> {
  const newest = await chat.history(channel, { maxPages: 1 })
  const followers = await Promise.all(
    conditions.map((condition) => openFollower(app, condition, channel, newest[0]?.ts ?? beginning)),
  )
  const top = await readBack(chat, channel, newest, followers)
  const threads = await followThreads(chat, channel, { newest, followers, now: app.clock.now() })
  // A reply that was also sent to the channel is in both lists.
  const unique = new Map([...top, ...threads.replies].map((message) => [message.ts, message]))
  const messages = [...unique.values()].toSorted((one, other) => compareTs(one.ts, other.ts))
  await fireMessages(app, chat, messages, {
    conditionsFor: (message) =>
      followers
        .filter((follower) => !follower.isNew && isUnread(follower, message, app.clock.now()))
        .map(({ condition }) => condition),
    around,
  })
  await transact(app.db, async (tx) => {
    for (const follower of followers) {
      const { condition, cursor } = follower
      const ts = top.reduce((last, message) => (compareTs(message.ts, last) > 0 ? message.ts : last), cursor.ts)
      await writeCursor(tx, condition.id, channel, { ...cursor, ts, threads: threads.stateOf(follower) })
    }
  })
}

async function openFollower(app: App, condition: ChatCondition, channel: string, newest: string): Promise<Follower> {
  const cursor = await findCursor(app, condition, channel)
  if (cursor) return { condition, cursor, isNew: false }
  const armedAt = condition.armed_at.toISOString()
  return { condition, cursor: { armedAt, since: newest, ts: newest, threads: emptyThreads }, isNew: true }
}

/** Undefined until the channel was polled for the condition as it is armed now. */
export async function findCursor(app: App, { id, armed_at }: ChatCondition, channel: string) {
  const { data: cursor } = ChannelCursor.safeParse((await readCursors(app.db, id, [channel])).get(channel))
  return cursor?.armedAt === armed_at.toISOString() ? cursor : undefined
}

const emptyThreads: FollowedThreads = { polls: 0, seen: {} }

/** The top-level messages that some follower has not read: from the newest page, or further back if it is full of them. */
async function readBack(
  chat: Chat,
  channel: string,
  newest: readonly ListedMessage[],
  followers: readonly Follower[],
): Promise<ChatMessage[]> {
  const read = followers.filter(({ isNew }) => !isNew).map(({ cursor }) => cursor.ts)
  const [oldest] = read.toSorted(compareTs)
  if (oldest === undefined) return []
  const fresh = newest.filter(({ ts }) => compareTs(ts, oldest) > 0)
  return fresh.length < newest.length || newest.length === 0 ? fresh : chat.history(channel, { oldest, maxPages })
}

function isUnread({ cursor }: Follower, message: ChatMessage, now: Date): boolean {
  if (message.threadTs === undefined) return compareTs(message.ts, cursor.ts) > 0
  return compareTs(message.ts, firstReplyAfter(cursor, message.threadTs, now)) > 0
}
