import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { metadataText } from '../sessions/session.ts'

export type ParkedSession = { id: number; slug: string | null; title: string | null; servers: string | null }

/** The sessions that wait for a person to authorize servers; `servers` is a list as JSON. */
export function selectParked(db: Database | Transaction): Promise<ParkedSession[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'slug', 'title', metadataText('oauth_required_servers').as('servers')])
    .where('status', '=', 'failed')
    .where(metadataText('failure_reason'), '=', sql.lit('oauth_required'))
    .orderBy('id')
    .execute()
}
