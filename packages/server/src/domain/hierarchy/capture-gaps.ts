import type { CaptureGap, HierarchyNode } from '@yardmaster/contract/sessions/fields'
import type { Database } from '../../platform/db/database.ts'
import {
  type Channel,
  channels,
  selectIdentifyingChannels,
  selectUnidentified,
  type UnidentifiedAuthor,
} from './human-message-store.ts'
import { channelLabel } from './human-messages.ts'

type Explanation = Pick<CaptureGap, 'reason' | 'remedy'>

/** No author in the channel could be identified. */
const closed: Record<Channel, Explanation> = {
  chat: {
    reason: 'No person has a chat user id, so the authors of chat messages could not be identified.',
    remedy: 'Set the chat user id of each person who writes in chat. Messages they send after that are recorded.',
  },
  web_ui: {
    reason: 'No person is an administrator, so the users of the dashboard could not be identified.',
    remedy: 'Make a person an administrator. Messages sent on the dashboard after that are recorded.',
  },
}

/**
 * The channels through which these sessions were spoken to and in which an author could not be identified. A session created
 * through a channel has the channel's name as its genesis.
 */
export async function findCaptureGaps(db: Database, nodes: readonly HierarchyNode[]): Promise<CaptureGap[]> {
  const unidentified = await selectUnidentified(
    db,
    nodes.map(({ id }) => id),
  )
  if (unidentified.length === 0 && !nodes.some(({ genesis }) => channels.some((channel) => channel === genesis)))
    return []
  const canIdentify = await selectIdentifyingChannels(db)
  return channels.flatMap((channel) => {
    const authors = unidentified.filter((author) => author.channel === channel)
    const addressed = authors.map(({ session_id }) => session_id)
    const created = nodes.filter(({ genesis }) => genesis === channel).map(({ id }) => id)
    const session_ids = unique(canIdentify[channel] ? addressed : [...addressed, ...created])
    if (session_ids.length === 0) return []
    const explanation = canIdentify[channel] ? strangers(authors) : closed[channel]
    return { channel, channel_label: channelLabel(channel), genesis: channel, session_ids, ...explanation }
  })
}

const namedAtMost = 10

function strangers(authors: readonly UnidentifiedAuthor[]): Explanation {
  const ids = [...new Set(authors.map(({ author_id }) => author_id))]
  const more = ids.length > namedAtMost ? ` and ${ids.length - namedAtMost} more` : ''
  return {
    reason: `No person had these user ids when they wrote, so their messages are not recorded: ${ids.slice(0, namedAtMost).join(', ')}${more}.`,
    remedy: 'Add each of them who is a person to the people. Messages they send after that are recorded.',
  }
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other)
}
