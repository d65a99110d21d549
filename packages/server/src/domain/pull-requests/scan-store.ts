import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

/** The caller holds the session's row lock. */
export async function selectScannedCount(tx: Transaction, sessionId: number): Promise<number> {
  const row = await tx
    .selectFrom('pull_request_scans')
    .select('entry_count')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row?.entry_count ?? 0
}

export async function upsertScan(
  tx: Transaction,
  sessionId: number,
  columns: { entry_count?: number; metadata_digest?: string },
): Promise<void> {
  await tx
    .insertInto('pull_request_scans')
    .values({ session_id: sessionId, metadata_digest: null, ...columns })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(columns))
    .execute()
}

export async function selectPrompts(tx: Transaction, sessionId: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('turns')
    .select('prompt')
    .where('session_id', '=', sessionId)
    .where('prompt', 'like', '%/pull/%')
    .execute()
  return rows.map(({ prompt }) => prompt)
}

/** Sessions whose custom metadata names a pull request and was not searched since it changed. */
export async function selectUnscannedMetadata(
  db: Database,
  limit: number,
): Promise<{ id: number; text: string; digest: string }[]> {
  const { rows } = await sql<{ id: number; text: string; digest: string }>`
    select sessions.id, sessions.custom_metadata::text as text, md5(sessions.custom_metadata::text) as digest
    from sessions
    left join pull_request_scans as scans on scans.session_id = sessions.id
    where sessions.custom_metadata::text like '%/pull/%'
      and sessions.status <> 'archived'
      and scans.metadata_digest is distinct from md5(sessions.custom_metadata::text)
    order by sessions.id
    limit ${limit}
  `.execute(db)
  return rows
}
