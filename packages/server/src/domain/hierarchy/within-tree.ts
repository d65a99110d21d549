import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Database } from '../../platform/db/database.ts'
import { selectSession } from '../sessions/session.ts'
import { isDescendant } from './hierarchy-store.ts'

/** The id of a session that is the given one or comes from it, through whichever number of parents. */
export async function findInTree(db: Database, top: number, ref: SessionRef): Promise<number | undefined> {
  const session = await selectSession(db, ref)
  return session && (await isDescendant(db, { top, session: session.id })) ? session.id : undefined
}
