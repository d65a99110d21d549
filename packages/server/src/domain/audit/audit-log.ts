import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { writeBehind } from '../../platform/db/write-behind.ts'
import type { Log } from '../../platform/log/log.ts'
import { storable } from '../../platform/storable-text.ts'
import { truncate } from '../../platform/truncate.ts'
import { insertAuditEntries, type NewAuditRow } from './audit-store.ts'

export type NewAuditEntry = Omit<NewAuditRow, 'id' | 'entry_key' | 'at'>

export type AuditLog = {
  /** Returns at once. The entry is stored within a second, or as soon as the database is there again. */
  record(entry: NewAuditEntry): void
  /** Stores what is waiting. Call it when no request runs any more. */
  close(): Promise<void>
}

const longestText = 300

type Options = { db: Database; clock: Clock; log: Log; redact(text: string): string }

export function openAuditLog({ db, clock, log, redact }: Options): AuditLog {
  const what = 'entries of the audit log'
  const behind = writeBehind<NewAuditRow>({ what, log, write: (rows) => insertAuditEntries(db, rows) })
  return {
    record: (entry) => {
      const target = entry.target ? redact(shortened(entry.target)) : null
      const actor = shortened(entry.actor)
      behind.add({ ...entry, actor, target, entry_key: randomUUID(), at: clock.now() })
    },
    close: behind.close,
  }
}

function shortened(text: string): string {
  return truncate(storable(text), longestText, '…')
}
