import type { Database } from '../../platform/db/database.ts'
import { selectTails } from './chunk-store.ts'
import type { Phrase } from './phrase.ts'
import { type ChangedDocuments, searchChanged } from './search-changed.ts'

/** Text that is not indexed yet. */
export type Unindexed = {
  /** Sessions with unindexed entries, and the last entry of each that is indexed. */
  tails: Map<number, number>
  changed: ChangedDocuments
}

/** Must run before the index query: text that is indexed in between would be missed by both. */
export async function findUnindexed(db: Database, phrase: Phrase): Promise<Unindexed> {
  const [tails, changed] = await Promise.all([selectTails(db), searchChanged(db, phrase)])
  return { tails, changed }
}
