import { type Generated, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'

type PollerTable = {
  name: string
  deferrals: Generated<number>
  not_before: Date | null
  incomplete_count: Generated<number>
  succeeded_at: Date | null
}

declare module '../db/tables.ts' {
  interface Tables {
    poller_states: PollerTable
  }
}

export type PollerState = Pick<Selectable<PollerTable>, 'deferrals' | 'incomplete_count'> & {
  /** How long it is still postponed, by the database's clock. */
  wait_ms: number
  /** How long ago it succeeded; null if it never did. */
  idle_ms: number | null
}

export async function selectPoller(db: Database, name: string): Promise<PollerState> {
  const row = await db
    .selectFrom('poller_states')
    .select([
      'deferrals',
      'incomplete_count',
      sql<number>`greatest(0, extract(epoch from not_before - now()) * 1000)::float8`.as('wait_ms'),
      sql<number | null>`(extract(epoch from now() - succeeded_at) * 1000)::float8`.as('idle_ms'),
    ])
    .where('name', '=', name)
    .executeTakeFirst()
  return row ?? { deferrals: 0, incomplete_count: 0, wait_ms: 0, idle_ms: null }
}

/** A run that was postponed while this one still worked stays postponed. */
export async function upsertSuccess(db: Database, name: string): Promise<void> {
  const columns = { incomplete_count: 0, succeeded_at: sql<Date>`now()` }
  const isPostponed = sql`poller_states.not_before > now()`
  await db
    .insertInto('poller_states')
    .values({ name, ...columns })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        ...columns,
        deferrals: sql<number>`case when ${isPostponed} then poller_states.deferrals else 0 end`,
        not_before: sql<Date | null>`case when ${isPostponed} then poller_states.not_before end`,
      }),
    )
    .execute()
}

type Failure = { deferrals: number; incompleteCount: number; delaySeconds: number }

export async function upsertFailure(db: Database, name: string, failure: Failure): Promise<void> {
  const notBefore = sql<Date>`now() + ${failure.delaySeconds} * interval '1 second'`
  const columns = { deferrals: failure.deferrals, incomplete_count: failure.incompleteCount }
  await db
    .insertInto('poller_states')
    .values({ name, ...columns, not_before: notBefore })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ ...columns, not_before: sql<Date>`greatest(poller_states.not_before, ${notBefore})` }),
    )
    .execute()
}
