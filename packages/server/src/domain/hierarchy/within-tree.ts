import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Database } from '../../platform/db/database.ts'
import { selectSession } from '../sessions/session.ts'
import { isDescendant } from './hierarchy-store.ts'

/** The id of the referenced session if it is `top` or one of its descendants by spawning. */
export async function findInTree(db: Database, top: number, ref: SessionRef): Promise<number | undefined> {
  const session = await selectSession(db, ref)
  return session && (await isDescendant(db, { top, session: session.id })) ? session.id : undefined
}
