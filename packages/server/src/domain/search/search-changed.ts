import type { Database } from '../../platform/db/database.ts'
import { type Document, selectCurrentDocuments, selectMarkedDocumentIds } from './document-store.ts'
import { documentOf, type Phrase } from './phrase.ts'

export type LookedAt = {
  /** Sessions whose document in the index may be out of date. */
  lookedAt: number[]
  /** Those of them that have the phrase. */
  found: number[]
}

/** Enough for one answer of the database, and little enough to hold. */
const batchSessions = 2000

export async function lookAtChanged(db: Database, phrase: Phrase): Promise<LookedAt> {
  const lookedAt = await selectMarkedDocumentIds(db)
  const found: number[] = []
  for (let start = 0; start < lookedAt.length; start += batchSessions) {
    const documents = await selectCurrentDocuments(db, lookedAt.slice(start, start + batchSessions))
    found.push(...documents.filter((each) => holds(each, phrase)).map(({ session_id }) => session_id))
  }
  return { lookedAt, found }
}

function holds({ fields }: Document, { spellings }: Phrase): boolean {
  const document = documentOf(fields)
  return spellings.some(({ text }) => document.includes(text))
}
