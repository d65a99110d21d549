import { type Generated, sql } from 'kysely'
import { tryLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    search_marks: {
      id: Generated<number>
      session_id: number
      about: 'transcript' | 'document'
      created_at: Generated<Date>
    }
  }
}

/** One host indexes at a time, so that the text it read is still current when it writes. */
export function lockIndexing(tx: Transaction): Promise<boolean> {
  return tryLock(tx, 'indexing')
}

/** Sessions whose oldest mark is at least `settleMs` old, oldest first. */
export async function selectDue(
  db: Database,
  about: 'transcript' | 'document',
  { settleMs, limit }: { settleMs: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ session_id: number }>`
    select session_id
    from search_marks
    where about = ${about}
    group by session_id
    having min(created_at) <= now() - ${settleMs} * interval '1 millisecond'
    order by min(id)
    limit ${limit}
  `.execute(db)
  return rows.map(({ session_id }) => session_id)
}

export async function selectMarks(
  tx: Transaction,
  about: 'transcript' | 'document',
  sessionIds: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .selectFrom('search_marks')
    .select('id')
    .where('about', '=', about)
    .where('session_id', 'in', sessionIds)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteMarks(tx: Transaction, ids: readonly number[]): Promise<void> {
  await sql`delete from search_marks where id = any(${ids}::bigint[])`.execute(tx)
}
