import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { lockHold, type TurnHold } from './lease-store.ts'

/** A host wrote in the name of a turn that it no longer holds. Nothing was written. */
export class TurnLost extends Error {
  override readonly name = 'TurnLost'

  constructor({ turnId }: TurnHold) {
    super(`turn ${turnId} is no longer held by this run`)
  }
}

/** The only way to write in the name of a turn: one transaction, in which `hold` owns the turn. Throws `TurnLost` if not. */
export function transactHeld<T>(db: Database, hold: TurnHold, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return transact(db, async (tx) => {
    if (!(await lockHold(tx, hold))) throw new TurnLost(hold)
    return work(tx)
  })
}
