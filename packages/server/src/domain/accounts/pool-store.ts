import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { AttemptKind } from './account-table.ts'

export type PoolRow = { runtime: string; is_available: boolean; recovers_at: Date | null; changed_at: Date }

/** One lock for each runtime. It is held while the current account changes. */
export async function lockPool(tx: Transaction, runtime: string): Promise<PoolRow> {
  const { rows } = await sql<PoolRow>`
    insert into account_pools (runtime) values (${runtime})
    on conflict (runtime) do update set runtime = excluded.runtime
    returning *
  `.execute(tx)
  const [row] = rows
  if (!row) throw new Error('a pool was neither made nor found')
  return row
}

export function selectPools(db: Database | Transaction): Promise<PoolRow[]> {
  return db.selectFrom('account_pools').selectAll().execute()
}

export async function updatePool(
  tx: Transaction,
  runtime: string,
  { is_available, recovers_at }: Pick<PoolRow, 'is_available' | 'recovers_at'>,
): Promise<void> {
  await tx
    .updateTable('account_pools')
    .set({
      is_available,
      recovers_at,
      changed_at: sql<Date>`case when is_available = ${is_available} then changed_at else now() end`,
    })
    .where('runtime', '=', runtime)
    .execute()
}

/** How often the session made an attempt of this kind within so many minutes, this one included. */
export async function recordAttempt(
  tx: Transaction,
  {
    sessionId,
    runtime,
    kind,
    withinMinutes,
  }: { sessionId: number; runtime: string; kind: AttemptKind; withinMinutes: number },
): Promise<number> {
  await tx.insertInto('account_attempts').values({ session_id: sessionId, runtime, kind }).execute()
  const { count } = await tx
    .selectFrom('account_attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('kind', '=', kind)
    .where('attempted_at', '>', sql<Date>`now() - make_interval(mins => ${withinMinutes})`)
    .executeTakeFirstOrThrow()
  return count
}
