import type { Band, EstimatedCost } from '@yardmaster/contract/backlog/vocabulary'
import { sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Transaction } from '../../platform/db/database.ts'

/** Serializes every change of the queue: each reads ranks before it writes them. */
export async function lockQueue(tx: Transaction): Promise<void> {
  await takeLock(tx, 'workBacklog')
}

/** Queued items of one cost that are not pinned and have a rank of the band. */
export type Peers = { cost: EstimatedCost; from: number; to: number; exceptId: number | undefined }

function peersOf(tx: Transaction, { cost, from, to, exceptId }: Peers) {
  return tx
    .selectFrom('work_backlog_items')
    .where('status', '=', 'queued')
    .where('pinned', '=', false)
    .where('estimated_cost', '=', cost)
    .where('precedence', '>=', from)
    .where('precedence', '<=', to)
    .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId ?? 0))
}

export async function selectLowestPeer(tx: Transaction, peers: Peers): Promise<number | undefined> {
  const row = await peersOf(tx, peers).select('precedence').orderBy('precedence').limit(1).executeTakeFirst()
  return row?.precedence
}

/** Counts up to `most`. */
export async function countPeers(tx: Transaction, peers: Peers, most: number): Promise<number> {
  const { count } = await tx
    .selectFrom(peersOf(tx, peers).select('id').limit(most).as('peers'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Keeps their order. */
export async function respacePeers(
  tx: Transaction,
  peers: Peers,
  { base, step }: { base: number; step: number },
): Promise<void> {
  const placed = peersOf(tx, peers).select([
    'id',
    sql<number>`${base} - (row_number() over (order by rank_key) - 1) * ${step}`.as('precedence'),
  ])
  await sql`
    update work_backlog_items
    set precedence = placed.precedence
    from (${placed}) as placed
    where work_backlog_items.id = placed.id
      and work_backlog_items.precedence <> placed.precedence
  `.execute(tx)
}

/** The oldest first. Each band asks for two ends of the index, so this costs nothing where all is well. */
export async function selectMisplaced(
  tx: Transaction,
  bands: readonly Band[],
): Promise<{ id: number; estimated_cost: EstimatedCost }[]> {
  const misplaced = bands.flatMap(({ cost, floor, ceiling }) => [
    sql`${unpinned(cost)} and precedence < ${floor}`,
    sql`${unpinned(cost)} and precedence > ${ceiling}`,
  ])
  const { rows } = await sql<{ id: number; estimated_cost: EstimatedCost }>`
    select id, estimated_cost
    from (${sql.join(
      misplaced.map((condition) => sql`select id, estimated_cost from work_backlog_items where ${condition}`),
      sql` union all `,
    )}) as misplaced
    order by id
  `.execute(tx)
  return rows
}

function unpinned(cost: EstimatedCost) {
  return sql`status = 'queued' and not pinned and estimated_cost = ${cost}`
}

export async function updatePrecedence(tx: Transaction, id: number, precedence: number): Promise<void> {
  await tx.updateTable('work_backlog_items').set({ precedence }).where('id', '=', id).execute()
}
