import { type Generated, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    archive_state: {
      is_only_row: Generated<boolean>
      generated_at: Generated<Date>
      session_count: number
      file_size_bytes: number
      deferred_count: number
      incomplete_reason: string | null
    }
  }
}

export type ArchiveState = {
  generated_at: Date
  session_count: number
  file_size_bytes: number
  deferred_count: number
  incomplete_reason: string | null
  /** By the database's clock. */
  age_seconds: number
  is_missing: boolean
  generation: number
}

/** Undefined before the first run has ended. */
export async function selectState(db: Database): Promise<ArchiveState | undefined> {
  const { rows } = await sql<ArchiveState>`
    select
      generated_at, session_count, file_size_bytes, deferred_count, incomplete_reason, generation,
      extract(epoch from now() - generated_at)::float8 as age_seconds,
      session_count > 0 and not exists (
        select
        from archive_files
        where superseded_at is null
          and from_generation is not null
      ) as is_missing
    from archive_state
    cross join archive_progress
  `.execute(db)
  return rows[0]
}

export function selectProgress(db: Database): Promise<{ generation: number; scanned_through: number }> {
  return db.selectFrom('archive_progress').select(['generation', 'scanned_through']).executeTakeFirstOrThrow()
}

type Run = Pick<ArchiveState, 'session_count' | 'file_size_bytes' | 'deferred_count' | 'incomplete_reason'> & {
  scannedThrough: number
}

export async function recordRun(db: Database, { scannedThrough, ...run }: Run): Promise<void> {
  await transact(db, async (tx) => {
    await tx.updateTable('archive_progress').set({ scanned_through: scannedThrough }).execute()
    await sql`
      insert into archive_state (session_count, file_size_bytes, deferred_count, incomplete_reason)
      values (${run.session_count}, ${run.file_size_bytes}, ${run.deferred_count}, ${run.incomplete_reason})
      on conflict (is_only_row) do update
      set generated_at = now(),
          session_count = excluded.session_count,
          file_size_bytes = excluded.file_size_bytes,
          deferred_count = excluded.deferred_count,
          incomplete_reason = excluded.incomplete_reason
    `.execute(tx)
  })
}
