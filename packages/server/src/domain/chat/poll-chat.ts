import type { Chat } from '../../platform/chat/chat.ts'
import { transact } from '../../platform/db/transact.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'
import { findConditions, recordPolled } from '../triggers/trigger.ts'
import type { ChatCondition } from './match-message.ts'
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
    for (const watch of await watchesOf(chat, conditions)) {
      if (signal.aborted) return
      await pollIfReachable(app, watch, () => pollChannel(app, chat, watch, around))
    }
    const ids = conditions.map(({ id }) => id)
    await transact(app.db, (tx) => recordPolled(tx, ids))
  })
}

/** A channel that the platform refuses, because it is archived or we were removed, does not keep the others from being read. */
async function pollIfReachable(app: App, { channel }: Watch, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof RemoteFailed) || error.kind !== 'refused') throw error
    app.log.warn({ channel, reason: error.message }, 'a chat channel cannot be read')
  }
}

/** Each channel once, with the conditions that follow it, so that the requests do not grow with the conditions. */
async function watchesOf(chat: Chat, conditions: readonly ChatCondition[]): Promise<Watch[]> {
  const isEverywhere = ({ configuration: { event_type, channel_id } }: ChatCondition): boolean =>
    channel_id === undefined || event_type === 'dm_message' || event_type === 'bot_mention'
  const joined = conditions.some(isEverywhere) ? await chat.conversations() : []
  const named = conditions.flatMap(({ configuration }) => configuration.channel_id ?? [])
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
