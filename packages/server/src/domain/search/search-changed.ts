import type { Database } from '../../platform/db/database.ts'
import { type Document, selectCurrentDocuments, selectMarkedDocumentIds } from './document-store.ts'
import { documentOf, type Phrase } from './phrase.ts'

export type ChangedDocuments = {
  /** Sessions whose indexed document may be out of date. */
  changed: number[]
  /** Those of them that contain the phrase. */
  found: number[]
}

/** Bounds the memory of one query result. */
const batchSessions = 2000

export async function searchChanged(db: Database, phrase: Phrase): Promise<ChangedDocuments> {
  const changed = await selectMarkedDocumentIds(db)
  const found: number[] = []
  for (let start = 0; start < changed.length; start += batchSessions) {
    const documents = await selectCurrentDocuments(db, changed.slice(start, start + batchSessions))
    found.push(...documents.filter((each) => holds(each, phrase)).map(({ session_id }) => session_id))
  }
  return { changed, found }
}

function holds({ fields }: Document, { spellings }: Phrase): boolean {
  const document = documentOf(fields)
  return spellings.some(({ text }) => document.includes(text))
}
