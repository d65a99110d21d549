import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'
import { insertUsage, type UsageOwner } from './usage-store.ts'

/** The face of the room: what model calls used, on record as soon as the transcript shows it. */
export async function recordUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<void> {
  const counted = usages.filter(hasVolume)
  if (counted.length > 0) await insertUsage(tx, owner, counted)
}

function hasVolume(usage: Usage): boolean {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_creation_tokens > 0
}
