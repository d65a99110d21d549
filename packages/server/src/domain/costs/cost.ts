import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'
import { insertUsage, tokensOf, type UsageOwner } from './usage-store.ts'

/**
 * The face of the room: what model calls used, on record as soon as the transcript shows it. Answers with the tokens that
 * were not on record before.
 */
export async function recordUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<number> {
  const counted = usages.filter((usage) => tokensOf(usage) > 0)
  return counted.length > 0 ? insertUsage(tx, owner, counted) : 0
}
