import { type RawBuilder, sql } from 'kysely'

/** By the database's clock, which also wrote the times. */
export function daysAgo(days: number): RawBuilder<Date> {
  return sql<Date>`now() - make_interval(days => ${days})`
}
