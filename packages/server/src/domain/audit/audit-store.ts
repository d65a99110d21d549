import type { AuditEntry, AuditFilters } from '@yardmaster/contract/audit/fields'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

type AuditTable = {
  id: Generated<number>
  /** Of the attempt to write it: an entry whose insert is tried again is stored once. */
  entry_key: string
  at: Date
  actor_kind: AuditEntry['actor_kind']
  actor: string
  key: string | null
  session_id: number | null
  operation: string
  target: string | null
  surface: AuditEntry['surface']
  address: string | null
  status: number
  request_id: string | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    audit_entries: AuditTable
  }
}

export type AuditRow = Selectable<AuditTable>
export type NewAuditRow = Insertable<AuditTable>

export async function insertAuditEntries(db: Database, rows: readonly NewAuditRow[]): Promise<void> {
  await db
    .insertInto('audit_entries')
    .values(rows)
    .onConflict((conflict) => conflict.column('entry_key').doNothing())
    .execute()
}

/** The expression of the index on texts. */
const searched = sql`(actor || ' ' || coalesce(key, '') || ' ' || operation || ' ' || coalesce(target, '') || ' ' || coalesce(address, ''))`

export function selectAuditEntries(
  db: Database,
  { actor, operation, target, from, to, q }: z.output<typeof AuditFilters>,
  page: Page,
): Promise<Paged<AuditRow>> {
  const query = db
    .selectFrom('audit_entries')
    .selectAll()
    .$if(Boolean(actor), (each) =>
      each.where((where) => where.or([where('actor', '=', actor ?? ''), where('key', '=', actor ?? '')])),
    )
    .$if(Boolean(operation), (each) => each.where('operation', '=', operation ?? ''))
    .$if(Boolean(target), (each) => each.where('target', '=', target ?? ''))
    .$if(from !== undefined, (each) => each.where('at', '>=', from ?? new Date(0)))
    .$if(to !== undefined, (each) => each.where('at', '<', to ?? new Date(0)))
    .$if(Boolean(q), (each) => each.where(sql<boolean>`${searched} ilike ${`%${escaped(q ?? '')}%`}`))
  return selectPage(query.orderBy('at', 'desc').orderBy('id', 'desc'), page)
}

/** Of `like`, in which they would match anything. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

export async function deleteOldAuditEntries(db: Database, { days, limit }: Slice): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_entries
    where id in (select id from audit_entries where at < now() - make_interval(days => ${days}) order by at limit ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}
