import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import { selectSessionIdByKey } from './lease-store.ts'

const prefix = 'ymt_'

/** The API key of a turn's agent. Valid only during one run of one turn. */
export function newTurnKey(): string {
  return prefix + randomBytes(32).toString('base64url')
}

export function isTurnKey(text: string): boolean {
  return text.startsWith(prefix)
}

/** Only the digest is stored: read access to the database does not allow calls in the name of an agent. */
export function turnKeyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The session whose agent holds the key. Undefined for an unknown key and after the turn has ended. */
export function findSessionIdByTurnKey(db: Database, key: string): Promise<number | undefined> {
  return selectSessionIdByKey(db, turnKeyDigest(key))
}
