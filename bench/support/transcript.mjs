import { sql } from 'kysely'

/** Stores a session of so many entries of a few hundred bytes, over 25 turns, and returns its id. */
export async function seedTranscript(host, entries) {
  const { id } = await host.app.db
    .insertInto('sessions')
    .values({ agent_runtime: 'demo', genesis: 'api', git_root: '/nowhere', branch: 'main', status: 'needs_input' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`insert into transcript_threads (session_id, thread, entry_count) values (${id}, 'main', ${entries})`.execute(
    host.app.db,
  )
  await sql`
    insert into transcript_entries (session_id, thread, sequence, line, created_at)
    select ${id}, 'main', n, json_build_object('type', 'assistant', 'message', json_build_object('content',
        json_build_array(json_build_object('type', 'text', 'text', 'entry ' || n || repeat(' of a transcript', 30))))),
      timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(1, ${entries}::int) as n
  `.execute(host.app.db)
  await sql`
    insert into turns (session_id, sequence, source, prompt, state, outcome, dispatched_at, ended_at)
    select ${id}, turn, 'follow_up', 'go on', 'ended', 'completed',
      timestamptz '2026-01-01' + (turn - 1) * length, timestamptz '2026-01-01' + turn * length - interval '1 millisecond'
    from generate_series(1, 25) as turn, (select ${entries}::int / 25 * interval '1 second' as length) as turns
  `.execute(host.app.db)
  return id
}

/** An entry in which the agent says the text. */
export function said(text) {
  return JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
}
