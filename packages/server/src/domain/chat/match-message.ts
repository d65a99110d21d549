import type { ChatMessage } from '../../platform/chat/message.ts'
import type { Condition } from '../triggers/trigger.ts'

export type ChatCondition = Condition<'chat'>

/** The channel that a condition names; undefined if it follows several, or direct conversations. */
export function ownChannel({ configuration: { event_type, channel_id } }: ChatCondition): string | undefined {
  return event_type === 'dm_message' ? undefined : channel_id
}

/** What the decision needs to know beyond the message; asked for only where a condition depends on it. */
export type Surroundings = {
  self: { userId: string; botId: string | undefined }
  /** Who may address the service where a condition names no one. */
  allowedUserIds: readonly string[]
  /** Whether the service has spoken in the message's thread before it. */
  hasSpokenInThread(message: ChatMessage): Promise<boolean>
  /** Whether the service posted at the top level of the message's channel in the six hours before it. */
  hasPostedLately(message: ChatMessage): Promise<boolean>
}

/** Written by a person or an app. Every other subtype is a notice: a join, a topic, a pin, an edit. */
const writtenSubtypes: readonly (string | undefined)[] = [
  undefined,
  'bot_message',
  'file_share',
  'me_message',
  'thread_broadcast',
]

export function isOwn({ userId, botId }: ChatMessage, self: Surroundings['self']): boolean {
  return userId === self.userId || (botId !== undefined && botId === self.botId)
}

export function isOfApp({ botId, subtype }: ChatMessage): boolean {
  return botId !== undefined || subtype === 'bot_message'
}

/** The conditions that the message fires. */
export async function matchMessage(
  message: ChatMessage,
  conditions: readonly ChatCondition[],
  around: Surroundings,
): Promise<ChatCondition[]> {
  if (isOwn(message, around.self) || !writtenSubtypes.includes(message.subtype)) return []
  const isMention = mentions(message, around.self.userId)
  const isAddressed = (condition: ChatCondition): boolean => firesOnAddress(condition, message, isMention, around)
  const isTakenAsMention = isMention && conditions.some(isAddressed)
  const matched: ChatCondition[] = []
  for (const condition of conditions) {
    const fires =
      firesOnNewMessage(condition, message, around) ||
      isAddressed(condition) ||
      // A mention belongs to the conditions for mentions; without one of those the passive ones take it.
      (!isTakenAsMention && (await firesPassively(condition, message, around)))
    if (fires) matched.push(condition)
  }
  return matched
}

function mentions({ text }: ChatMessage, userId: string): boolean {
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`)
}

function firesOnNewMessage({ configuration }: ChatCondition, message: ChatMessage, around: Surroundings): boolean {
  const { event_type, channel_id, thread_ts } = configuration
  if (event_type !== 'new_message' || channel_id !== message.channel || thread_ts !== message.threadTs) return false
  const named = configuration.allowed_user_ids ?? []
  // Messages of other apps count. A list that the condition itself names holds for them too.
  if (message.botId !== undefined) return named.length === 0 || named.includes(message.botId) || isNamed(named, message)
  return isAllowed(configuration, message, { around, isOpen: true })
}

/** A mention, or a direct message. */
function firesOnAddress(
  { configuration }: ChatCondition,
  message: ChatMessage,
  isMention: boolean,
  around: Surroundings,
): boolean {
  const { event_type, channel_id, thread_ts } = configuration
  if (event_type === 'dm_message')
    return message.isDirect && isAllowed(configuration, message, { around, isOpen: false })
  if (event_type !== 'bot_mention') return false
  if (message.isDirect) return thread_ts === undefined && isAllowed(configuration, message, { around, isOpen: false })
  const isInScope =
    (channel_id === undefined || channel_id === message.channel) &&
    (thread_ts === undefined || thread_ts === message.threadTs)
  return isMention && isInScope && isAllowed(configuration, message, { around, isOpen: true })
}

async function firesPassively(
  { configuration }: ChatCondition,
  message: ChatMessage,
  around: Surroundings,
): Promise<boolean> {
  const { event_type, channel_id } = configuration
  const kinds = {
    passive_listen_thread: ['thread'],
    passive_listen_channel: ['channel'],
    passive_listen: ['thread', 'channel'],
  }
  const listensTo = kinds[event_type as keyof typeof kinds] ?? [] // other kinds are not in the table
  const place = message.threadTs === undefined ? 'channel' : 'thread'
  if (!listensTo.includes(place) || message.isDirect || isOfApp(message)) return false
  if (channel_id !== undefined && channel_id !== message.channel) return false
  if (!isAllowed(configuration, message, { around, isOpen: false })) return false
  return place === 'thread' ? around.hasSpokenInThread(message) : around.hasPostedLately(message)
}

type Allowing = { around: Surroundings /** Whether an empty list means everyone, or no one. */; isOpen: boolean }

function isAllowed(
  { allowed_user_ids: named = [] }: ChatCondition['configuration'],
  message: ChatMessage,
  { around, isOpen }: Allowing,
): boolean {
  if (message.userId === undefined) return false
  const list = named.length > 0 ? named : around.allowedUserIds
  return list.length === 0 ? isOpen : isNamed(list, message)
}

function isNamed(list: readonly string[], { userId }: ChatMessage): boolean {
  return userId !== undefined && list.includes(userId)
}
