import type { Chat } from '../../platform/chat/chat.ts'
import { compareTs, dateOfTs } from '../../platform/chat/message.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import { type App, handleJob } from '../app.ts'
import { reportUnheard } from '../fires/fire.ts'
import { findConditions } from '../triggers/trigger.ts'
import { checkFeedsJob } from './check-feeds-job.ts'
import { type ChatCondition, ownChannel } from './match-message.ts'
import { findCursor } from './poll-channel.ts'

/** Longer than a throttle postpones a poll. */
const graceMs = 15 * 60_000

/**
 * Compares how far each channel was read with what the platform shows there, and reports the conditions that hear nothing. Asked
 * of the platform itself, so that it does not believe what the poller believes. Only a condition that names its channel can
 * be judged.
 */
export const checkFeeds = handleJob(checkFeedsJob, async (_payload, app) => {
  const { client } = app.chat
  if (!client) return
  const asked = new Map<string, Promise<Newest>>()
  for (const condition of await findConditions(app.db, ['chat'])) {
    const channel = ownChannel(condition)
    if (channel === undefined || app.clock.now().getTime() - condition.armed_at.getTime() < graceMs) continue
    const newest = asked.get(channel) ?? newestSettled(app, client, channel)
    asked.set(channel, newest)
    const problem = await problemWith(app, condition, channel, await newest)
    if (problem !== undefined) await reportUnheard(app, condition, `Channel ${channel} is not heard: ${problem}.`)
  }
})

type Newest = { ts: string | undefined } | { refusal: string }

/** The newest message that a poll must have read by now. */
async function newestSettled({ clock }: App, chat: Chat, channel: string): Promise<Newest> {
  const latest = `${Math.floor((clock.now().getTime() - graceMs) / 1000)}.000000`
  try {
    const [newest] = await chat.history(channel, { latest, maxPages: 1 })
    return { ts: newest?.ts }
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind === 'refused') return { refusal: error.message }
    throw error
  }
}

async function problemWith(
  app: App,
  condition: ChatCondition,
  channel: string,
  newest: Newest,
): Promise<string | undefined> {
  if ('refusal' in newest) return newest.refusal
  const cursor = await findCursor(app, condition, channel)
  if (!cursor) return 'no poll has reached it'
  const isRead = newest.ts === undefined || compareTs(newest.ts, cursor.ts) <= 0
  return isRead ? undefined : `no poll has read its message of ${dateOfTs(newest.ts ?? '0').toISOString()}`
}
