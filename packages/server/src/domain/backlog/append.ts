import { type NewItem, payloadFields, type WorkBacklogItem } from '@yardmaster/contract/backlog/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import type { Transaction } from '../../platform/db/database.ts'
import { writeJson } from '../../platform/exact-json.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectSession } from '../sessions/session.ts'
import { changeQueue } from './change-queue.ts'
import { showItem } from './find-items.ts'
import { insertItem, selectQueued } from './item-store.ts'
import { presentItem } from './present.ts'
import { placeLast } from './rank.ts'

export type Appended = {
  work_backlog_item: WorkBacklogItem
  created: boolean
  position: number | null
  band_respaced: boolean
}

/** How the item came: by which way, and from the agent of which session, if its key proved that. */
type Way = { isTool: boolean; agentOf: number | undefined }

/** Queues an item behind the others of its band, or where the caller pins it. A queued item with its key is answered. */
export async function appendItem(app: App, sent: NewItem, { isTool, agentOf }: Way): Promise<Appended> {
  const payload = payloadOf(sent)
  const [queued] = await selectQueued(app.db, [sent.key])
  if (queued) return answer(presentItem(queued), { created: false, isRespaced: false })
  return changeQueue(
    app,
    async (tx) => {
      const [meanwhile] = await selectQueued(tx, [sent.key])
      if (meanwhile) return { id: meanwhile.id, created: false, isRespaced: false }
      const { precedence, isRespaced } = await placeOf(tx, sent)
      const id = await insertItem(tx, {
        key: sent.key,
        issue_url: sent.issue_url,
        repo: sent.repo,
        surface: sent.surface,
        title: sent.title,
        kind: sent.kind,
        scope_direction: sent.scope_direction,
        estimated_cost: sent.estimated_cost,
        gate_verdict: sent.gate_verdict,
        decided_at: sent.decided_at,
        payload,
        added_by: agentOf === undefined ? (sent.added_by ?? 'human') : `session:${agentOf}`,
        added_via: isTool ? 'mcp' : 'api',
        precedence,
        pinned: sent.pinned ?? false,
        writing_session_id: await knownSession(tx, agentOf ?? sent.writing_session_id ?? sent.acting_session_id),
      })
      return { id, created: true, isRespaced }
    },
    async (tx, { id, ...about }) => answer(await showItem(tx, { id }), about),
  )
}

function answer(item: WorkBacklogItem, { created, isRespaced }: { created: boolean; isRespaced: boolean }): Appended {
  return { work_backlog_item: item, created, position: item.position, band_respaced: isRespaced }
}

function placeOf(tx: Transaction, { pinned, precedence, estimated_cost: cost }: NewItem) {
  // The schema demands the precedence of a pinned item.
  return pinned === true ? { precedence: Number(precedence), isRespaced: false } : placeLast(tx, cost)
}

/** Keys of the body that have a column, or that only the service decides. All others are kept in the payload. */
const outsidePayload: readonly string[] = [
  ...['key', 'issue_url', 'repo', 'surface', 'title', 'kind', 'scope_direction', 'estimated_cost', 'gate_verdict'],
  ...['decided_at', 'added_by', 'writing_session_id', 'acting_session_id', 'pinned', 'precedence', 'payload'],
  ...['id', 'status', 'added_via'],
]

/** The parts that have no column, and every key that the service does not know, as JSON. */
function payloadOf(sent: NewItem): string {
  const isUnset = (name: string): boolean =>
    payloadFields.some((field) => field === name) && (sent[name] ?? null) === null
  const own = Object.entries(sent).filter(([name]) => !outsidePayload.includes(name) && !isUnset(name))
  const payload: JsonObject = Object.fromEntries([...Object.entries(sent.payload ?? {}), ...own])
  const written = writeJson(payload)
  const { payloadBytes } = limits.backlog
  if (Buffer.byteLength(written) > payloadBytes)
    refuse('invalid_backlog_item', `Payload is too large (maximum is ${payloadBytes} bytes, prompt and notes included)`)
  return written
}

/** A session that a caller claims to be. A number that names none counts as absent. */
export async function knownSession(tx: Transaction, id: number | undefined): Promise<number | null> {
  return id === undefined ? null : ((await selectSession(tx, { id }))?.id ?? null)
}
