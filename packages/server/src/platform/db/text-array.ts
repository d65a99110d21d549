import { type RawBuilder, sql } from 'kysely'

/** Below this length the driver's escaping takes less than a millisecond. */
const longText = 64 * 1024

/**
 * Texts as one array parameter, or if they are long as an array of parameters. The driver writes an array parameter as one
 * literal and escapes every quote and backslash in it: seconds for a line of megabytes, in which nothing else runs.
 */
export function textArray(texts: readonly string[]): RawBuilder<string[]> {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= longText) return sql`${texts}::text[]`
  return sql`array[${sql.join(texts)}]::text[]`
}
