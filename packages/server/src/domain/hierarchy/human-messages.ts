import { limits } from '@yardmaster/contract/limits'
import type { HierarchyNode, HumanMessage } from '@yardmaster/contract/sessions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Browser } from '../../platform/http/browser.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { findPerson, findPersonByChatUser } from '../people/people.ts'
import {
  type Channel,
  type HumanMessageRow,
  insertHumanMessage,
  insertUnidentified,
  type Place,
  selectHumanMessages,
  selectOlderPlaces,
} from './human-message-store.ts'

/** Bounds the size of the answer. */
export const shownAtMost = { count: 1000, mebibytes: 4 }

/** Messages of identified people to any of these sessions, and where there are older ones that are not shown. */
export async function findHumanMessages(
  db: Database,
  sessionId: number,
  nodes: readonly HierarchyNode[],
): Promise<{ messages: HumanMessage[]; omitted: Place[] }> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ids = [...byId.keys()]
  const bounds = { count: shownAtMost.count, bytes: shownAtMost.mebibytes * 1024 * 1024 }
  const rows = await selectHumanMessages(db, ids, bounds)
  const [oldest] = rows
  return {
    messages: rows.map((row) => presentHumanMessage(row, sessionId, byId.get(row.session_id))),
    omitted: oldest ? await selectOlderPlaces(db, ids, oldest.id) : [],
  }
}

export type RecordedMessage = {
  sessionId: number
  /** A person whom the surface identified, or a user of the chat platform. Never a caller of the REST API: an API key identifies no person. */
  author: Author
  channel: Channel
  roomName?: string
  /** The place on the surface, such as `web_ui.follow_up`. */
  entryPoint: string
  content: RedactedContent
  occurredAt: Date
}

export type RedactedContent = { redacted: string }

/** Done before the transaction that records the message: a long one takes a while, and the transaction holds row locks. */
export async function redactContent(app: App, content: string): Promise<RedactedContent> {
  // Redact before truncating: a truncated secret no longer matches its pattern.
  return { redacted: truncate(await app.redactor.text(content), limits.humanMessage, truncationMarker) }
}

/**
 * Records a person's message in the transaction that accepts it. Of someone who is not on the list of people only the user
 * id is kept, so that the gap shows.
 */
export async function recordHumanMessage(tx: Transaction, message: RecordedMessage): Promise<void> {
  const { sessionId: session_id, channel, author } = message
  const key = await keyOf(tx, author)
  if (key === undefined) return insertUnidentified(tx, { session_id, channel, author_id: idOf(author) })
  await insertHumanMessage(tx, {
    session_id,
    author_key: key,
    channel,
    room_name: message.roomName ?? null,
    entry_point: message.entryPoint,
    content: message.content.redacted,
    occurred_at: message.occurredAt,
  })
}

type Author = { key: string } | { chatUserId: string } | { browser: Browser }

async function keyOf(tx: Transaction, author: Author): Promise<string | undefined> {
  if ('key' in author) return author.key
  if ('chatUserId' in author) return findPersonByChatUser(tx, author.chatUserId)
  const { personKey } = author.browser
  return personKey === undefined ? undefined : findPerson(tx, personKey)
}

function idOf(author: Author): string {
  if ('key' in author) return author.key
  return 'chatUserId' in author ? author.chatUserId : `browser ${author.browser.signInId ?? 'without a sign-in'}`
}

export type Heard = Omit<RecordedMessage, 'sessionId'>

/** What a person says in their browser, as `recordHeard` records it. Undefined if another caller says it, or nothing is said. */
export async function hear(
  app: App,
  browser: Browser | undefined,
  { entryPoint, content }: { entryPoint: WebEntryPoint; content: string | null | undefined },
): Promise<Heard | undefined> {
  if (!browser || !content) return undefined
  return {
    author: { browser },
    channel: 'web_ui',
    entryPoint,
    content: await redactContent(app, content),
    occurredAt: app.clock.now(),
  }
}

/** Where on the dashboard people write. */
type WebEntryPoint = 'web_ui.new_session' | 'web_ui.follow_up' | 'web_ui.enqueued_message'

/** In the transaction that accepts what was said. */
export async function recordHeard(tx: Transaction, sessionId: number, heard: Heard | undefined): Promise<void> {
  if (heard) await recordHumanMessage(tx, { sessionId, ...heard })
}

const truncationMarker = '\n[truncated: the message was longer]'

const channelLabels: Record<Channel, string> = { web_ui: 'the dashboard', chat: 'chat' }

export function channelLabel(channel: Channel, roomName: string | null = null): string {
  return roomName === null ? channelLabels[channel] : `${channelLabels[channel]} (${roomName})`
}

function presentHumanMessage(row: HumanMessageRow, sessionId: number, node: HierarchyNode | undefined): HumanMessage {
  const isHere = row.session_id === sessionId
  return {
    origin: isHere ? 'here' : 'elsewhere',
    author: row.author_key,
    author_display_name: row.display_name ?? row.author_key,
    channel: row.channel,
    channel_label: channelLabel(row.channel, row.room_name),
    authored_in_session_id: row.session_id,
    authored_in: isHere
      ? `this session (#${row.session_id})`
      : `session #${row.session_id} — ${node?.agent_root ?? '—'} · ${node?.title ?? ''}`,
    entry_point: row.entry_point,
    content: row.content,
    occurred_at: formatTimestamp(row.occurred_at),
  }
}
