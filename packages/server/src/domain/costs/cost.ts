import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'
import { costOf, type PriceTable, unitPricesOf, type Volumes } from './price-table.ts'
import { type NewCalls, tokensOf, type UsageOwner, upsertUsage } from './usage-store.ts'

export {
  endHandOver,
  findLatestRun,
  finishRun,
  type HandOver,
  insertHandOver,
  type Run,
  recordFailure,
  recordRows,
  recordSession,
  recordStart,
  selectLostHandOvers,
  startRun,
} from './backfill-store.ts'
export { openPrices } from './prices.ts'
export { ownerOf, summaryOwnerOf } from './usage-owner.ts'
export type { SpentVolumes } from './usage-store.ts'

/**
 * The face of the room: records the usage of model calls, in the transaction that stores the transcript lines. Returns
 * what was not recorded before.
 */
export async function recordUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<NewCalls> {
  const counted = usages.filter((usage) => tokensOf(usage) > 0 && isPossible(usage))
  return counted.length > 0 ? upsertUsage(tx, owner, counted) : { calls: 0, tokens: 0, reports: 0 }
}

/** At list price; 0 for a model without a rate. */
export function dollarsOf(table: PriceTable, model: string, volumes: Volumes): number {
  return costOf(unitPricesOf(table, model), volumes)
}

/** Longer than any id or model name, and short enough for an index. */
const maxCharacters = 500
/** Far above any model call, and small enough for the columns. */
const maxCount = 2 ** 31 - 1
/** Older than any agent, and far from the bounds of a timestamp. */
const earliestMs = Date.parse('2000-01-01T00:00:00Z')
/** More than two clocks differ. */
const maxAheadMs = 86_400_000

/** Agents write these values. A usage that cannot be stored must not keep the lines that report it from being stored. */
function isPossible({ request_id, model, called_at, ...usage }: Usage): boolean {
  const counts = Object.values(usage).filter((value) => typeof value === 'number')
  return (
    [request_id, model].every(({ length }) => length <= maxCharacters) &&
    counts.every((count) => count <= maxCount) &&
    called_at.getTime() >= earliestMs &&
    called_at.getTime() <= Date.now() + maxAheadMs
  )
}
