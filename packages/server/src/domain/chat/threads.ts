import { z } from 'zod'
import type { Chat, ListedMessage, Thread } from '../../platform/chat/chat.ts'
import { type ChatMessage, compareTs } from '../../platform/chat/message.ts'
import { unlessRefused } from '../../platform/remote-failed.ts'
import type { ChatCondition } from './match-message.ts'

/**
 * The threads that a condition follows in a channel. A history shows only the newest messages, so a thread that has moved
 * out of it is looked at again from time to time, for as long as it may still get replies.
 */
export const FollowedThreadsState = z.object({
  polls: z.int(),
  /** By the thread's first message: its last reply that was read, and the poll that looked at it last. */
  seen: z.record(z.string(), z.object({ ts: z.string(), checked: z.int() })),
})
export type FollowedThreads = z.infer<typeof FollowedThreadsState>

type Follower = {
  condition: ChatCondition
  cursor: { since: string; threads: FollowedThreads }
  isNew: boolean
}

const agedPerPoll = 20
const horizonSeconds = 45 * 86_400
const backfillSeconds = 24 * 3600
/** Evicts the threads with the oldest replies beyond this. */
const maxThreads = 500
const maxPages = 10
const emptyThread: Thread = { parent: undefined, replies: [] }

/** Reads the replies that some follower has not read. */
export async function followThreads(
  chat: Chat,
  channel: string,
  { newest, followers, now }: { newest: readonly ListedMessage[]; followers: readonly Follower[]; now: Date },
): Promise<{ replies: ChatMessage[]; stateOf(follower: Follower): FollowedThreads }> {
  const interested = followers.filter(({ condition }) => readsThreads(condition))
  const latest = new Map(
    newest.flatMap(({ ts, latestReply }) => (latestReply === undefined ? [] : [[ts, latestReply]])),
  )
  const due = [...new Set(interested.flatMap((follower) => dueThreads(follower, latest, now)))]
  const replies: ChatMessage[] = []
  const lastReplies = new Map(latest)
  for (const thread of due) {
    const starts = interested
      .filter(({ condition }) => isOfInterest(condition, thread))
      .map(({ cursor }) => firstReplyAfter(cursor, thread, now))
    const [oldest = thread] = starts.toSorted(compareTs)
    // A thread that was deleted does not keep the channel from being read.
    const { replies: read } = await unlessRefused(chat.thread(channel, thread, { oldest, maxPages }), emptyThread)
    replies.push(...read)
    const last = read.at(-1)?.ts
    if (last !== undefined) lastReplies.set(thread, last)
  }
  return {
    replies,
    stateOf: (follower) =>
      interested.includes(follower) ? nextState(follower, { lastReplies, due, now }) : follower.cursor.threads,
  }
}

/** Where a follower's reading of a thread begins. A thread that it meets for the first time is read back for a day. */
export function firstReplyAfter({ since, threads }: Follower['cursor'], thread: string, now: Date): string {
  const known = threads.seen[thread]
  if (known) return known.ts
  const backfill = `${Math.floor(now.getTime() / 1000) - backfillSeconds}.000000`
  return compareTs(since, backfill) > 0 ? since : backfill
}

function readsThreads({ configuration: { event_type, thread_ts } }: ChatCondition): boolean {
  return event_type === 'new_message' ? thread_ts !== undefined : event_type !== 'passive_listen_channel'
}

function isOfInterest({ configuration: { thread_ts } }: ChatCondition, thread: string): boolean {
  return thread_ts === undefined || thread_ts === thread
}

/** The threads with new replies, and those that no history shows, longest unchecked first. */
function dueThreads({ condition, cursor, isNew }: Follower, latest: ReadonlyMap<string, string>, now: Date): string[] {
  const { thread_ts: own } = condition.configuration
  if (own !== undefined) return [own]
  if (isNew) return []
  const grown = [...latest].filter(([thread, reply]) => compareTs(reply, firstReplyAfter(cursor, thread, now)) > 0)
  const aged = Object.entries(cursor.threads.seen)
    .filter(([thread]) => !latest.has(thread))
    .toSorted(([, one], [, other]) => one.checked - other.checked)
    .slice(0, agedPerPoll)
  return [...grown, ...aged].map(([thread]) => thread)
}

type Outcome = { lastReplies: ReadonlyMap<string, string>; due: readonly string[]; now: Date }

function nextState({ condition, cursor }: Follower, { lastReplies, due, now }: Outcome): FollowedThreads {
  const polls = cursor.threads.polls + 1
  const horizon = `${Math.floor(now.getTime() / 1000) - horizonSeconds}.000000`
  const seen = { ...cursor.threads.seen }
  for (const thread of [...lastReplies.keys(), ...due]) {
    if (!isOfInterest(condition, thread)) continue
    const ts = lastReplies.get(thread) ?? seen[thread]?.ts ?? cursor.since
    seen[thread] = { ts, checked: due.includes(thread) ? polls : (seen[thread]?.checked ?? polls) }
  }
  const kept = Object.entries(seen)
    .filter(([, { ts }]) => compareTs(ts, horizon) > 0)
    .toSorted(([, one], [, other]) => compareTs(other.ts, one.ts))
    .slice(0, maxThreads)
  return { polls, seen: Object.fromEntries(kept) }
}
