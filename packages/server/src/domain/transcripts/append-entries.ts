import type { Transaction } from '../../platform/db/database.ts'
import { lastSaidIn } from './last-said.ts'
import { insertEntries, type NewEntries, type ThreadKey } from './transcript-store.ts'

/** Stores redacted lines, with what the agent said last. The caller has locked the thread. */
export async function appendEntries(tx: Transaction, key: ThreadKey, entries: NewEntries): Promise<void> {
  await insertEntries(tx, key, { ...entries, said: await lastSaidIn(entries.lines) })
}
