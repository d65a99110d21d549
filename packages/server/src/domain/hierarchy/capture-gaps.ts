import type { CaptureGap, HierarchyNode } from '@yardmaster/contract/session'
import type { Database } from '../../platform/db/database.ts'
import { type Channel, selectRecognisingChannels } from './human-message-store.ts'
import { channelLabel } from './human-messages.ts'

/** People speak through these. The genesis of a session that came in through one is its name. */
const explanations: Record<Channel, { reason: string; remedy: string }> = {
  chat: {
    reason: 'No person has a chat user id, so nobody who wrote in chat could be recognised.',
    remedy: 'Give the people who write in chat their chat user ids; what they write from then on is on record.',
  },
  web_ui: {
    reason: 'No administrator is known, so nobody who used the dashboard could be recognised.',
    remedy: 'Name an administrator; what is said on the dashboard from then on is on record.',
  },
}

/** The channels these sessions came in through, and where nobody could have been recognised. */
export async function findCaptureGaps(db: Database, nodes: readonly HierarchyNode[]): Promise<CaptureGap[]> {
  const channels = (Object.keys(explanations) as Channel[]) // a record's keys are its type's
    .map((channel) => ({ channel, session_ids: cameThrough(channel, nodes) }))
    .filter(({ session_ids }) => session_ids.length > 0)
  if (channels.length === 0) return []
  const isRecognising = await selectRecognisingChannels(db)
  return channels
    .filter(({ channel }) => !isRecognising[channel])
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
