import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditFilters } from '@yardmaster/contract/audit/fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { z } from 'zod'
import type { Database } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import type { AuditLog } from './audit-log.ts'
import { type AuditRow, insertAuditEntries, selectAuditEntries } from './audit-store.ts'

/** The face of the room: who changed what. */
export { type AuditLog, type NewAuditEntry, openAuditLog } from './audit-log.ts'

declare module '../app.ts' {
  interface App {
    audit: AuditLog
  }
}

/** What a command on the machine did, beside the server. */
export function recordCommand(db: Database, operation: string, target: string | null): Promise<void> {
  const by = { actor_kind: 'operator', actor: 'command line', key: null, session_id: null, surface: 'command' } as const
  const entry = { ...by, operation, target, address: null, status: 200, request_id: null }
  return insertAuditEntries(db, [{ ...entry, entry_key: randomUUID(), at: new Date() }])
}

export async function listAuditEntries(app: App, filters: z.output<typeof AuditFilters>, page: Page) {
  const { rows, totalCount } = await selectAuditEntries(app.db, filters, page)
  return { items: rows.map(presented), totalCount }
}

function presented({ entry_key: _, at, ...row }: AuditRow): AuditEntry {
  return { ...row, at: formatTimestamp(at) }
}
