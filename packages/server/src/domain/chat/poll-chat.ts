import type { Chat } from '../../platform/chat/chat.ts'
import { transact } from '../../platform/db/transact.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { pollEach } from '../../platform/pollers/poll-each.ts'
import type { App } from '../app.ts'
import { findConditions, recordPolled } from '../triggers/trigger.ts'
import { type ChatCondition, ownChannel } from './match-message.ts'
import { pollChannel, type Watch } from './poll-channel.ts'
import { surroundingsOf } from './surroundings.ts'

/** Looks for messages that no webhook delivered. Without a platform or a condition it does nothing. */
export async function pollChat(app: App, signal: AbortSignal): Promise<RunResult> {
  const { client, allowedUserIds } = app.chat
  const conditions = client ? await findConditions(app.db, ['chat']) : []
  if (!client || conditions.length === 0) return 'done'
  const chat = client.patient(signal)
  return poll(app, 'chat', async () => {
    const around = await surroundingsOf(chat, allowedUserIds)
    const watches = await watchesOf(chat, conditions)
    const { done, failed } = await pollEach(watches, (watch) => pollChannel(app, chat, watch, around), { signal })
    for (const { item, error } of failed)
      app.log.warn({ channel: item.channel, reason: error.message }, 'a chat channel was not read')
    const read = new Set(done.map(({ channel }) => channel))
    const isPolled = (own: string | undefined): boolean => own === undefined || read.has(own)
    const ids = conditions.filter((condition) => isPolled(ownChannel(condition))).map(({ id }) => id)
    if (!signal.aborted) await transact(app.db, (tx) => recordPolled(tx, ids))
  })
}

/** Each channel once, with the conditions that follow it, so that the requests do not grow with the conditions. */
async function watchesOf(chat: Chat, conditions: readonly ChatCondition[]): Promise<Watch[]> {
  const isEverywhere = ({ configuration: { event_type, channel_id } }: ChatCondition): boolean =>
    channel_id === undefined || event_type === 'dm_message' || event_type === 'bot_mention'
  const joined = conditions.some(isEverywhere) ? await chat.conversations() : []
  const named = conditions.flatMap((condition) => ownChannel(condition) ?? [])
  return [...new Set([...named, ...joined])]
    .map((channel) => ({ channel, conditions: conditions.filter((condition) => follows(condition, channel)) }))
    .filter((watch) => watch.conditions.length > 0)
}

/** Direct conversations have ids that begin with D. Mentions include them. */
function follows({ configuration: { event_type, channel_id } }: ChatCondition, channel: string): boolean {
  const isDirect = channel.startsWith('D')
  if (event_type === 'dm_message') return isDirect
  if (event_type === 'bot_mention' && isDirect) return true
  return channel_id === undefined ? !isDirect : channel_id === channel
}
