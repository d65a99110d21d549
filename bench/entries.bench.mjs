import { sql } from 'kysely'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/** Reading a page of a transcript: its cost does not depend on the length of the transcript, nor on the place of the page. */
const target = 1.5
const lengths = { short: 200, long: 10_000 }
const rounds = 41
const warmUps = 15

const { host, stop } = await startBenchHost()
try {
  const short = await seed(lengths.short)
  const long = await seed(lengths.long)
  await sql`vacuum analyze`.execute(host.app.db)
  await compare('The last page of 10,000 entries', `${long}/entries`, `${short}/entries`)
  await compare('A page in the middle of 10,000 entries', `${long}/entries?around=5000`, `${short}/entries`)
  await compare('The turns of 10,000 entries', `${long}/turns`, `${short}/turns`)
} finally {
  await stop()
}

/** In turn, so that both have the same machine. */
async function compare(what, path, basePath) {
  const times = []
  const baseTimes = []
  for (let round = -warmUps; round < rounds; round += 1) {
    const base = await timed(basePath)
    const time = await timed(path)
    if (round < 0) continue
    baseTimes.push(base)
    times.push(time)
  }
  const ratio = median(times) / median(baseTimes)
  console.log(
    `${what} takes ${ratio.toFixed(2)} times what it takes of 200 entries: ${median(times).toFixed(1)} ms (target: at most ${target} times)`,
  )
  if (ratio > target) process.exitCode = 1
}

async function timed(path) {
  const started = performance.now()
  const response = await fetch(`${host.web.url}/api/v1/sessions/${path}`, { headers: { 'x-api-key': benchKey } })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  await response.arrayBuffer()
  return performance.now() - started
}

/** A session of this many entries of a few hundred bytes, stored over 25 turns. */
async function seed(entries) {
  const { id } = await host.app.db
    .insertInto('sessions')
    .values({ agent_runtime: 'demo', genesis: 'api', git_root: '/nowhere', branch: 'main' })
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
