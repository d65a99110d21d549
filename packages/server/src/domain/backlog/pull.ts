import type { Pull, PulledItems, WorkBacklogItem } from '@yardmaster/contract/backlog/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { knownSession } from './append.ts'
import { changeQueue } from './change-queue.ts'
import { selectCounts, selectFirst, selectItemsById, selectQueued, updateItem } from './item-store.ts'
import type { RankedRow } from './item-table.ts'
import { presentItem } from './present.ts'
import { planStart, type Starter, startItems } from './spawn.ts'

/** Removes what is dead, then starts items from the top or by key. One transaction with the sessions: all of it, or nothing. */
export async function pullItems(app: App, { count, keys, dead }: Pull, starter: Starter): Promise<PulledItems> {
  const isStarting = Boolean(count) || Boolean(keys)
  const plan = isStarting ? await planStart(app, starter, 'spot') : undefined
  return changeQueue(
    app,
    async (tx) => {
      const removed = await removeDead(tx, dead ?? [], starter)
      const items = keys ? await findQueued(tx, keys) : await selectFirst(tx, count ?? 0)
      const started = plan ? await startItems(app, tx, items, { plan, starter }) : []
      return { removed, started }
    },
    async (tx, { removed, started }) => {
      const itemOf = await showItems(tx, [...removed, ...started])
      return {
        started: started.map(({ id, session }) => ({ work_backlog_item: itemOf(id), session })),
        removed: removed.map(({ id, reason }) => ({ work_backlog_item: itemOf(id), reason })),
        counts: await selectCounts(tx),
      }
    },
  )
}

async function removeDead(tx: Transaction, dead: NonNullable<Pull['dead']>, starter: Starter) {
  const actor = await knownSession(tx, starter.agentOf ?? starter.actingSessionId)
  const items = await findQueued(
    tx,
    dead.map(({ key }) => key),
  )
  const removed = items.map(({ id }, index) => ({ id, reason: dead[index]?.reason ?? missing(id) }))
  for (const { id, reason } of removed)
    await updateItem(tx, id, {
      status: 'removed',
      removed_by: actor === null ? 'api' : `session:${actor}`,
      removal_reason: reason,
    })
  return removed
}

/** The queued items with these keys, in the order of the keys. */
async function findQueued(tx: Transaction, keys: readonly string[]): Promise<RankedRow[]> {
  const items = new Map((await selectQueued(tx, keys)).map((item) => [item.key, item]))
  const absent = keys.filter((key) => !items.has(key))
  if (absent.length > 0) refuse('invalid_pull', `not queued: ${absent.join(', ')}`, { not_queued: absent })
  return keys.flatMap((key) => items.get(key) ?? [])
}

async function showItems(tx: Transaction, changed: readonly { id: number }[]) {
  const rows = await selectItemsById(
    tx,
    changed.map(({ id }) => id),
  )
  const items = new Map(rows.map((row) => [row.id, presentItem(row)]))
  return (id: number): WorkBacklogItem => items.get(id) ?? missing(id)
}

function missing(id: number): never {
  throw new Error(`work backlog item ${id} is missing right after the write`)
}
