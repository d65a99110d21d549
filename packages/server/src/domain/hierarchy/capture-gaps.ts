import type { CaptureGap, HierarchyNode } from '@yardmaster/contract/sessions/fields'
import type { Database } from '../../platform/db/database.ts'
import {
  type Channel,
  channels,
  type Place,
  selectIdentifyingChannels,
  selectUnidentified,
  selectUnrecorded,
  type UnidentifiedAuthor,
} from './human-message-store.ts'
import { channelLabel, shownAtMost } from './human-messages.ts'

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

const older: Explanation = {
  reason: 'People wrote to these sessions before messages were recorded, so their first messages are missing.',
  remedy: 'Read the transcripts of these sessions. Messages that are sent now are recorded.',
}

const beyondBounds: Explanation = {
  reason: `Only the latest messages are shown, at most ${shownAtMost.count} and ${shownAtMost.mebibytes} MiB; these sessions have older ones.`,
  remedy: 'Read the older messages in the transcripts of these sessions.',
}

/**
 * The channels through which these sessions were spoken to and of which not every message is shown, with every reason. A session created through a channel has the channel's name as its genesis. `omitted`: where older messages are left out.
 */
export async function findCaptureGaps(
  db: Database,
  nodes: readonly HierarchyNode[],
  omitted: readonly Place[],
): Promise<CaptureGap[]> {
  const ids = nodes.map(({ id }) => id)
  const [unidentified, unrecorded] = await Promise.all([selectUnidentified(db, ids), selectUnrecorded(db, ids)])
  const created = nodes.flatMap(({ id: session_id, genesis }) => {
    const channel = channels.find((each) => each === genesis)
    return channel === undefined ? [] : { session_id, channel }
  })
  const spokenTo = [...unidentified, ...created]
  const canIdentify = spokenTo.length > 0 ? await selectIdentifyingChannels(db) : undefined
  return channels.flatMap((channel) => {
    const within = <Any extends Place>(places: readonly Any[]) => places.filter((place) => place.channel === channel)
    const isOpen = canIdentify?.[channel] ?? true
    const authors = within(unidentified)
    const causes = [
      isOpen
        ? { places: authors, explanation: strangers[channel](namesOf(authors)) }
        : { places: within(spokenTo), explanation: closed[channel] },
      { places: within(unrecorded), explanation: older },
      { places: within(omitted), explanation: beyondBounds },
    ].filter(({ places }) => places.length > 0)
    return causes.length === 0 ? [] : gapOf(channel, causes)
  })
}

/** One for each channel, with every reason. */
function gapOf(
  channel: Channel,
  causes: readonly { places: readonly Place[]; explanation: Explanation }[],
): CaptureGap {
  const ids = causes.flatMap(({ places }) => places.map(({ session_id }) => session_id))
  return {
    channel,
    channel_label: channelLabel(channel),
    genesis: channel,
    session_ids: [...new Set(ids)].sort((one, other) => one - other),
    reason: causes.map(({ explanation }) => explanation.reason).join(' '),
    remedy: causes.map(({ explanation }) => explanation.remedy).join(' '),
  }
}

const namedAtMost = 10

function namesOf(authors: readonly UnidentifiedAuthor[]): string {
  const ids = [...new Set(authors.map(({ author_id }) => author_id))]
  const more = ids.length > namedAtMost ? ` and ${ids.length - namedAtMost} more` : ''
  return `${ids.slice(0, namedAtMost).join(', ')}${more}`
}

/** Some authors could not be identified. */
const strangers: Record<Channel, (names: string) => Explanation> = {
  chat: (names) => ({
    reason: `No person had these user ids when they wrote, so their messages are not recorded: ${names}.`,
    remedy: 'Add each of them who is a person to the people. Messages they send after that are recorded.',
  }),
  web_ui: (names) => ({
    reason: `These browsers gave no name before someone wrote there, so the messages are not recorded: ${names}.`,
    remedy: 'Give a name on the dashboard. Messages sent in that browser after that are recorded.',
  }),
}
