import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import { selectSessionIdByKey } from './lease-store.ts'

const prefix = 'ymt_'

/** What the agent of a turn shows when it speaks to the service. Made for one run of one turn, and good for no longer. */
export function newTurnKey(): string {
  return prefix + randomBytes(32).toString('base64url')
}

export function isTurnKey(text: string): boolean {
  return text.startsWith(prefix)
}

/** What is stored of it: whoever reads the database cannot speak for an agent. */
export function turnKeyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Whose agent it is; undefined when its turn is over, or never was. */
export function findSessionIdByTurnKey(db: Database, key: string): Promise<number | undefined> {
  return selectSessionIdByKey(db, turnKeyDigest(key))
}
