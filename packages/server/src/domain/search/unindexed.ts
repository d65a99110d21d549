import type { Database } from '../../platform/db/database.ts'
import { selectTails } from './chunk-store.ts'
import type { Phrase } from './phrase.ts'
import { type LookedAt, lookAtChanged } from './search-changed.ts'

/** What the index does not know yet. */
export type Unindexed = {
  /** Sessions with entries that are in no chunk, and after which entry those begin. */
  tails: Map<number, number>
  changed: LookedAt
}

/** To be asked before the index is, or something could be missed in between. */
export async function findUnindexed(db: Database, phrase: Phrase): Promise<Unindexed> {
  const [tails, changed] = await Promise.all([selectTails(db), lookAtChanged(db, phrase)])
  return { tails, changed }
}
