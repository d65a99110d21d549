import type { CaptureGap, HierarchyNode } from '@yardmaster/contract/sessions/fields'
import type { Database } from '../../platform/db/database.ts'
import { type Channel, selectIdentifyingChannels } from './human-message-store.ts'
import { channelLabel } from './human-messages.ts'

/** The channels that people write in. A session created through a channel has the channel's name as its genesis. */
const explanations: Record<Channel, { reason: string; remedy: string }> = {
  chat: {
    reason: 'No person has a chat user id, so the authors of chat messages could not be identified.',
    remedy: 'Set the chat user id of each person who writes in chat. Messages they send after that are recorded.',
  },
  web_ui: {
    reason: 'No person is an administrator, so the users of the dashboard could not be identified.',
    remedy: 'Make a person an administrator. Messages sent on the dashboard after that are recorded.',
  },
}

/** The channels that these sessions came through and in which no author could be identified. */
export async function findCaptureGaps(db: Database, nodes: readonly HierarchyNode[]): Promise<CaptureGap[]> {
  const channels = (Object.keys(explanations) as Channel[]) // `Object.keys` loses the record's key type
    .map((channel) => ({ channel, session_ids: cameThrough(channel, nodes) }))
    .filter(({ session_ids }) => session_ids.length > 0)
  if (channels.length === 0) return []
  const canIdentify = await selectIdentifyingChannels(db)
  return channels
    .filter(({ channel }) => !canIdentify[channel])
    .map(({ channel, session_ids }) => ({
      channel,
      channel_label: channelLabel(channel),
      genesis: channel,
      session_ids,
      ...explanations[channel],
    }))
}

function cameThrough(channel: Channel, nodes: readonly HierarchyNode[]): number[] {
  return nodes
    .filter(({ genesis }) => genesis === channel)
    .map(({ id }) => id)
    .sort((one, other) => one - other)
}
