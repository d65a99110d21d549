import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { MetadataKey, MetadataTimeKey, SessionMetadata } from './metadata.ts'

/**
 * The column `metadata` in SQL: its new values, and conditions for queries on `sessions`. Keys are literals, not
 * parameters, because an index has such a condition.
 */

export function newMetadata(set: SessionMetadata): string {
  return JSON.stringify(set)
}

/** The database merges key by key, so concurrent writers do not overwrite each other's keys. */
export function changedMetadata(set: SessionMetadata, forget: readonly MetadataKey[]): RawBuilder<string> {
  return sql<string>`(metadata - ${forget}::text[]) || ${newMetadata(set)}::jsonb`
}

/** Sets the key to the time of the database's clock, which all hosts share. */
export function stampedMetadata(key: MetadataTimeKey): RawBuilder<string> {
  return sql<string>`metadata || jsonb_build_object(${sql.lit(key)}, ${timestampText(sql`now()`)})`
}

export function hasMetadata(key: MetadataKey): RawBuilder<SqlBool> {
  return sql<SqlBool>`sessions.metadata ? ${sql.lit(key)}`
}

/** Its turn waits for a free slot, for a quota or for a budget. */
export const isHeld = sql<SqlBool>`(${hasMetadata('spot_hold_at')} or ${hasMetadata('spot_pause_at')})`

/** It waits because no vendor account can serve. It has no place in the spot queue, so it is not held. */
export const isParked = sql<SqlBool>`(sessions.status = 'waiting' and ${hasMetadata('auth_outage_reason')})`

/** Null if the key is absent. */
export function metadataText(key: MetadataKey): RawBuilder<string | null> {
  return sql<string | null>`sessions.metadata ->> ${sql.lit(key)}`
}

/**
 * True unless the key holds a later time: an absent or broken value counts as the earliest. Compares texts, because a value
 * that cannot be cast would fail the query for all sessions.
 */
export function isMetadataTimeReached(key: MetadataTimeKey, by: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const stored = sql`substring(${metadataText(key)} from ${sql.lit(timestampPattern)})`
  return sql<SqlBool>`coalesce(${stored}, '') <= ${timestampText(by)}`
}

const timestampPattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$'

/** The same text as `formatTimestamp`. */
function timestampText(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char((${time}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}
