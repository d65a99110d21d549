import type { Chat } from '../../platform/chat/chat.ts'
import { type ChatMessage, dateOfTs } from '../../platform/chat/message.ts'
import type { App } from '../app.ts'
import { fireTrigger, type TriggerEvent } from '../fires/fire.ts'
import { redactContent } from '../hierarchy/hierarchy.ts'
import { conversationOf } from './chat-message.ts'
import { type ChatCondition, isOfApp, matchMessage, type Surroundings } from './match-message.ts'
import { selectWindows } from './window-store.ts'

type Firing = {
  /** The conditions that may be fired by a message. */
  conditionsFor(message: ChatMessage): readonly ChatCondition[]
  around: Surroundings
}

/**
 * Fires each trigger that waits for one of the messages, once for each message: overlapping conditions of one trigger share
 * its claim. The messages are in order; those of one conversation within the trigger's window are one fire.
 */
export async function fireMessages(
  app: App,
  chat: Chat,
  messages: readonly ChatMessage[],
  { conditionsFor, around }: Firing,
): Promise<void> {
  const eventsByTrigger = new Map<number, ChatEvent[]>()
  for (const message of messages) {
    const matched = await matchMessage(message, conditionsFor(message), around)
    if (matched.length === 0) continue
    const event = await describe(app, chat, message)
    for (const { trigger_id, id } of uniqueTriggers(matched))
      eventsByTrigger.set(trigger_id, [...(eventsByTrigger.get(trigger_id) ?? []), { ...event, conditionId: id }])
  }
  const windows = await selectWindows(app.db, [...eventsByTrigger.keys()])
  for (const [triggerId, events] of eventsByTrigger)
    for (const [first, ...folded] of groupsWithin(events, windows.get(triggerId) ?? 0))
      if (first) await fireTrigger(app, triggerId, first, folded)
}

type ChatEvent = TriggerEvent & { conversation: string }

function uniqueTriggers(conditions: readonly ChatCondition[]): ChatCondition[] {
  return [...new Map(conditions.toReversed().map((condition) => [condition.trigger_id, condition])).values()]
}

/** A group begins with its first message and spans at most the window. */
function groupsWithin(events: readonly ChatEvent[], windowSeconds: number): ChatEvent[][] {
  const groups: ChatEvent[][] = []
  for (const event of events) {
    const group = groups.findLast(([first]) => first?.conversation === event.conversation)
    const age = event.occurredAt.getTime() - (group?.[0]?.occurredAt.getTime() ?? 0)
    if (group && windowSeconds > 0 && age <= windowSeconds * 1000) group.push(event)
    else groups.push([event])
  }
  return groups
}

async function describe(app: App, chat: Chat, message: ChatMessage): Promise<Omit<ChatEvent, 'conditionId'>> {
  const { channel, ts, threadTs, userId, isDirect } = message
  const { url } = await chat.self()
  const roomName = isDirect ? undefined : await nameIfFound(() => chat.channelName(channel))
  const author = userId === undefined ? 'an app' : ((await nameIfFound(() => chat.userName(userId))) ?? userId)
  const text = readable(message.text)
  const human = userId !== undefined && !isOfApp(message) && { chatUserId: userId, isDirect }
  return {
    key: `chat:${channel}:${ts}`,
    by: 'chat',
    occurredAt: dateOfTs(ts),
    conversation: conversationOf(message),
    ifNotFired: 'lost',
    ...(human && {
      human: { ...human, ...(roomName !== undefined && { roomName }), content: await redactContent(app, text) },
    }),
    values: {
      link: linkTo(url, message),
      text,
      author,
      channel: roomName ?? (isDirect ? 'a direct message' : channel),
      channel_id: channel,
      message_ts: ts,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
      ...(userId !== undefined && { author_id: userId }),
    },
  }
}

/** A name is only for reading: a fire does not wait for a platform that does not answer. */
function nameIfFound(find: () => Promise<string | undefined>): Promise<string | undefined> {
  return find().catch(() => undefined)
}

function linkTo(teamUrl: string, { channel, ts, threadTs }: ChatMessage): string {
  if (!URL.canParse(teamUrl)) return ''
  const link = new URL(`archives/${channel}/p${ts.replace('.', '')}`, teamUrl)
  if (threadTs !== undefined) link.search = `thread_ts=${threadTs}&cid=${channel}`
  return link.href
}

/** The platform escapes three characters. */
function readable(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
