import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { metadataText, type SessionRow } from '../sessions/session.ts'

export type ParkedSession = Pick<SessionRow, 'id' | 'slug' | 'title' | 'mcp_servers' | 'catalog_plugins'> & {
  servers: string | null
}

/** The sessions that wait for a person to authorize servers; `servers` is a list as JSON. */
export function selectParked(db: Database | Transaction): Promise<ParkedSession[]> {
  return db
    .selectFrom('sessions')
    .select([
      'id',
      'slug',
      'title',
      'mcp_servers',
      'catalog_plugins',
      metadataText('oauth_required_servers').as('servers'),
    ])
    .where('status', '=', 'failed')
    .where(metadataText('failure_reason'), '=', sql.lit('oauth_required'))
    .orderBy('id')
    .execute()
}
