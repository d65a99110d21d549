import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'
import { insertUsage, tokensOf, type UsageOwner } from './usage-store.ts'

/**
 * The face of the room: records the usage of model calls, in the transaction that stores the transcript lines. Returns
 * the number of tokens that were not recorded before.
 */
export async function recordUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<number> {
  const counted = usages.filter((usage) => tokensOf(usage) > 0)
  return counted.length > 0 ? insertUsage(tx, owner, counted) : 0
}
