import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/usage.ts'
import type { App } from '../app.ts'
import { selectLifetime, selectPace } from './pace-store.ts'
import { costOf, familyOf, type PriceTable, rounded, unitPricesOf, type Volumes } from './price-table.ts'
import { type CallSpan, selectSpans } from './span-store.ts'
import {
  mergedById,
  type NewCalls,
  selectModels,
  tokensOf,
  type UsageOwner,
  unknownModel,
  upsertUsage,
} from './usage-store.ts'

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
export { findCostOfToday, findCosts } from './spent.ts'
export { ownerOf, probeOwnerOf, summaryOwnerOf } from './usage-owner.ts'
export type { SpentVolumes } from './usage-store.ts'

/** `suspect`: calls that cannot have been made. They are not recorded, and count toward no budget. */
export type RecordedCalls = NewCalls & { suspect: number }

/**
 * The face of the room: records the usage of model calls, in the transaction that stores the transcript lines. Returns
 * what was not recorded before.
 */
export async function recordUsage(
  app: Pick<App, 'prices' | 'runtimes'>,
  tx: Transaction,
  owner: UsageOwner,
  usages: readonly Usage[],
): Promise<RecordedCalls> {
  const maxCount = app.runtimes.find(owner.agent_runtime)?.reportsWholeTurns ? maxCountOfTurn : maxCountOfCall
  const given = mergedById(usages.filter((usage) => tokensOf(usage) > 0))
  const possible = given.filter((usage) => isPossible(usage, maxCount))
  const plausible = await withinReach(tx, owner, possible)
  const suspect = given.length - plausible.length
  if (plausible.length === 0) return { calls: 0, tokens: 0, reports: 0, suspect }
  return { ...(await upsertUsage(tx, owner, await withBoundedModels(app, tx, owner, plausible))), suspect }
}

/** More than twenty subagents at once read from their caches. */
const maxTokensPerSecond = 1_000_000
/** What an agent has done before its first line is read, and the differences of clocks. */
const graceSeconds = 100

/**
 * Those that fit into the time for which the session's agent has run, by the database's clock. The turns of long ago are pruned, so a
 * sweep of history can only compare with the age of the session.
 */
async function withinReach(
  tx: Transaction,
  { session_id, source, isHistory }: UsageOwner,
  usages: readonly Usage[],
): Promise<readonly Usage[]> {
  if (session_id === null || source !== undefined || usages.length === 0) return usages
  const { seconds, tokens } = isHistory ? await selectLifetime(tx, session_id) : await selectPace(tx, session_id)
  let left = (seconds + graceSeconds) * maxTokensPerSecond - tokens
  return usages.filter((usage) => {
    left -= tokensOf(usage)
    return left >= 0
  })
}

/** More than a session uses. */
const maxModels = 20

/**
 * Agents write the names of models, and every name makes a row that budgets are summed from. Beyond the bound a call counts under
 * the family that its price is from, so that forged names make no later call cheaper, or else as of an unknown model.
 */
async function withBoundedModels(
  { prices }: Pick<App, 'prices'>,
  tx: Transaction,
  { session_id }: UsageOwner,
  usages: readonly Usage[],
): Promise<readonly Usage[]> {
  const known = await selectModels(tx, session_id)
  const added = new Set(usages.flatMap(({ model }) => (known.has(model) ? [] : [model])))
  if (known.size + added.size <= maxModels) return usages
  const { table } = await prices.asOf()
  const kept = new Set([...known, ...[...added].slice(0, Math.max(0, maxModels - known.size))])
  return usages.map((usage) =>
    kept.has(usage.model) ? usage : { ...usage, model: familyOf(table, usage.model) ?? unknownModel },
  )
}

/** At list price; 0 for a model without a rate. */
export function dollarsOf(table: PriceTable, model: string, volumes: Volumes): number {
  return costOf(unitPricesOf(table, model), volumes)
}

/** What a session's agent and its subagents spent in each span, in dollars. */
export async function dollarsOfSpans(
  { db, prices }: Pick<App, 'db' | 'prices'>,
  sessionId: number,
  spans: readonly CallSpan[],
): Promise<number[]> {
  const { table } = await prices.asOf()
  const dollars = spans.map(() => 0)
  for (const { place, model, ...volumes } of await selectSpans(db, sessionId, spans))
    dollars[place] = (dollars[place] ?? 0) + dollarsOf(table, model, volumes)
  return dollars.map(rounded)
}

/** Longer than any id or model name, and short enough for an index. */
const maxCharacters = 500
/** Far above any model call. */
const maxCountOfCall = 10_000_000
/** A turn of thousands of calls reads its cache in each of them. */
const maxCountOfTurn = 1_000_000_000
/** Older than any agent, and far from the bounds of a timestamp. */
const earliestMs = Date.parse('2000-01-01T00:00:00Z')
/** More than two clocks differ. */
const maxAheadMs = 86_400_000

/** Agents write these values. A usage that cannot be stored must not keep the lines that report it from being stored. */
function isPossible({ request_id, model, called_at, service_tier, ...usage }: Usage, maxCount: number): boolean {
  const counts = Object.values(usage).filter((value) => typeof value === 'number')
  return (
    [request_id, model, service_tier ?? ''].every((text) => text.length <= maxCharacters && !text.includes('\0')) &&
    counts.every((count) => count <= maxCount) &&
    called_at.getTime() >= earliestMs &&
    called_at.getTime() <= Date.now() + maxAheadMs
  )
}
