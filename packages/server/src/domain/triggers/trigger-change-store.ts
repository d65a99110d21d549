import { triggersChanged } from '@yardmaster/contract/triggers/events'
import type { Transaction } from '../../platform/db/database.ts'
import { gather } from '../../platform/db/transact.ts'
import { publish } from '../../platform/events/publish.ts'

/** One event a transaction. Every write of a trigger and of its conditions calls this. */
export function noteTriggerChange(tx: Transaction, id: number): void {
  gather(
    tx,
    `${triggersChanged.name}:${id}`,
    () => undefined,
    () => publish(tx, triggersChanged, { payload: { trigger_id: id } }),
  )
}
