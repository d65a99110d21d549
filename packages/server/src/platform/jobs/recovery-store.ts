import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'

type RecoveryTable = {
  is_only_row: boolean
  entered_at: Date
  expires_at: Date
  reason: string | null
  entered_by: string
}

declare module '../db/tables.ts' {
  interface Tables {
    queue_recovery: RecoveryTable
  }
}

/** Recovery mode while it is active, by the database's clock. `is_new`: it began in this transaction. */
export type Recovery = Omit<RecoveryTable, 'is_only_row'> & {
  expires_in_seconds: number
  active_ms: number
  is_new: boolean
}

const fields = sql`
  entered_at,
  expires_at,
  reason,
  entered_by,
  entered_at = now() as is_new,
  floor(extract(epoch from expires_at - now()))::int as expires_in_seconds,
  (extract(epoch from clock_timestamp() - entered_at) * 1000)::float8 as active_ms
`

export async function selectRecovery(db: Database): Promise<Recovery | undefined> {
  const { rows } = await sql<Recovery>`
    select ${fields}
    from queue_recovery
    where expires_at > now()
  `.execute(db)
  return rows[0]
}

type Entry = { ttlMinutes: number; reason: string | undefined; by: string }

/** Entering again while it is active extends it: it keeps its beginning and, unless a new one is given, its reason. */
export async function upsertRecovery(tx: Transaction, { ttlMinutes, reason, by }: Entry): Promise<Recovery> {
  const { rows } = await sql<Recovery>`
    insert into queue_recovery as known (entered_at, expires_at, reason, entered_by)
    values (now(), now() + make_interval(mins => ${ttlMinutes}), ${reason ?? null}, ${by})
    on conflict (is_only_row) do update
    set entered_at = case when known.expires_at > now() then known.entered_at else excluded.entered_at end,
        expires_at = excluded.expires_at,
        reason = case when known.expires_at > now() then coalesce(excluded.reason, known.reason) else excluded.reason end,
        entered_by = excluded.entered_by
    returning ${fields}
  `.execute(tx)
  const [recovery] = rows
  if (!recovery) throw new Error('recovery mode was not stored')
  return recovery
}

/** The recovery mode that was ended; undefined if there was none. */
export async function deleteRecovery(
  tx: Transaction,
  { onlyExpired }: { onlyExpired: boolean },
): Promise<Recovery | undefined> {
  const { rows } = await sql<Recovery>`
    delete from queue_recovery
    where not ${onlyExpired}::boolean or expires_at <= now()
    returning ${fields}
  `.execute(tx)
  return rows[0]
}
