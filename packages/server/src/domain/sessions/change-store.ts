import { sessionChanged } from '@yardmaster/contract/sessions/events'
import type { Transaction } from '../../platform/db/database.ts'
import { gather } from '../../platform/db/transact.ts'
import { publish } from '../../platform/events/publish.ts'

/** One event a transaction, with all the fields that it wrote. */
export function noteChange(tx: Transaction, sessionId: number, fields: readonly string[]): void {
  if (fields.length === 0) return
  const changed = changesOf(tx, sessionId, (all) =>
    publish(tx, sessionChanged, { sessionId, payload: { fields: [...all].toSorted() } }),
  )
  for (const field of fields) changed.add(field)
}

/** What a transaction writes about a session that it creates is no change: readers first hear of the session then. */
export function noteCreation(tx: Transaction, sessionId: number): void {
  changesOf(tx, sessionId, async () => undefined)
}

function changesOf(tx: Transaction, sessionId: number, close: (fields: ReadonlySet<string>) => Promise<void>) {
  return gather(tx, `${sessionChanged.name}:${sessionId}`, () => new Set<string>(), close)
}
