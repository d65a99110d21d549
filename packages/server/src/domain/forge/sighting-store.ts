import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

type LiveAround = {
  /** The sessions with a turn at that time. */
  sessionIds: number[]
  /** Those of them whose turn has not ended. */
  liveSessionIds: number[]
  /** How long ago it was, by the database's clock. */
  ageSeconds: number
}

/** The clocks of the forge and the database may differ, and times of the forge have no fractions. */
const slackSeconds = 60

export async function selectLiveAround(db: Database, at: Date): Promise<LiveAround> {
  const { rows } = await sql<{ session_id: number | null; is_live: boolean; age_seconds: number }>`
    with around as (
      select session_id, bool_or(state <> 'ended') as is_live
      from turns
      where coalesce(started_at, dispatched_at) <= ${at}::timestamptz + ${slackSeconds} * interval '1 second'
        and (ended_at is null or ended_at >= ${at}::timestamptz - ${slackSeconds} * interval '1 second')
        and state <> 'queued'
      group by session_id
    )
    select around.session_id, coalesce(around.is_live, false) as is_live,
           extract(epoch from now() - ${at}::timestamptz)::float8 as age_seconds
    from (select 1) as one
    left join around on true
  `.execute(db)
  const found = rows.flatMap(({ session_id: id, is_live: isLive }) => (id === null ? [] : [{ id, isLive }]))
  return {
    sessionIds: found.map(({ id }) => id),
    liveSessionIds: found.filter(({ isLive }) => isLive).map(({ id }) => id),
    ageSeconds: rows[0]?.age_seconds ?? 0,
  }
}

/** An agent writes the address soon after it opened the issue, so only the end of a long transcript is searched. */
const searchedEntries = 2000

/** The lines of these sessions that show an address which none of their prompts had. */
export async function selectSightings(db: Database, sessionIds: readonly number[], url: string): Promise<string[]> {
  const path = url.replace(/^https?:\/\//, '')
  const { rows } = await sql<{ line: string }>`
    select entries.line
    from transcript_threads as threads
    join transcript_entries as entries
      on entries.session_id = threads.session_id
     and entries.thread = threads.thread
     and entries.sequence > threads.entry_count - ${searchedEntries}
    where threads.session_id = any(${sessionIds}::bigint[])
      and strpos(replace(entries.line, '\\/', '/'), ${path}) > 0
      and not exists (
        select from turns
        where turns.session_id = threads.session_id
          and strpos(turns.prompt, ${path}) > 0
      )
    limit 100
  `.execute(db)
  return rows.map(({ line }) => line)
}
