import { limits } from '@yardmaster/contract/limits'
import type { HierarchyNode, HumanMessage } from '@yardmaster/contract/session'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { type Channel, type HumanMessageRow, insertHumanMessage, selectHumanMessages } from './human-message-store.ts'

/** More than anybody reads at once. */
const mostShown = { count: 1000, bytes: 4 * 1024 * 1024 }

/** What people who were recognised said to any of these sessions. */
export async function findHumanMessages(
  db: Database,
  sessionId: number,
  nodes: readonly HierarchyNode[],
): Promise<HumanMessage[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const rows = await selectHumanMessages(db, [...byId.keys()], mostShown)
  return rows.map((row) => presentHumanMessage(row, sessionId, byId.get(row.session_id)))
}

export type Utterance = {
  sessionId: number
  /** The key of a person that the surface has recognised: never a caller of the REST API, whose key names no person. */
  authorKey: string
  channel: Channel
  roomName?: string
  /** Where on the surface it was said, such as `web_ui.follow_up`. */
  entryPoint: string
  content: string
  occurredAt: Date
}

/** Puts on record that a person said something, in the transaction that accepts what was said. */
export async function recordHumanMessage(app: App, tx: Transaction, said: Utterance): Promise<void> {
  await insertHumanMessage(tx, {
    session_id: said.sessionId,
    author_key: said.authorKey,
    channel: said.channel,
    room_name: said.roomName ?? null,
    entry_point: said.entryPoint,
    content: bounded(app.redactor.text(said.content)),
    occurred_at: said.occurredAt,
  })
}

const cutMarker = '\n[cut here: the message was longer]'

function bounded(content: string): string {
  if (content.length <= limits.humanMessage) return content
  const characters = Array.from(content)
  if (characters.length <= limits.humanMessage) return content
  return characters.slice(0, limits.humanMessage - cutMarker.length).join('') + cutMarker
}

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
