import { sql } from 'kysely'
import pg from 'pg'
import { ask, compareHosts } from './support/compare.mjs'

/**
 * The board, its summary and what needs a person, with 1,000 sessions compared with 100, beside 3,000 archived ones on both
 * hosts. Ten times the sessions may take at most so many times as long, with the same number of queries.
 */
const targets = {
  '/board?per_section=1000': 9,
  '/board?view=touched&per_section=1000': 9,
  '/board/summary': 4,
  '/needs_you': 4,
}
const few = 100
const many = 1000
const archived = 3000
const rounds = 30
/** With a slug, a title and a last line, at rest and unread. */
const maxBytesOfCard = 450

const statements = [
  'json_agg(sessions.id',
  'question.message, 300',
  'group by session_id, model',
  'as needs_you',
  'with needing',
]

await compareHosts({ noun: 'sessions', few, many, rounds, seed }, async ({ small, large, compare }) => {
  for (const [path, atMost] of Object.entries(targets)) {
    const queries = { few: await queriesOf(small, path), many: await queriesOf(large, path) }
    const addendum = `, with ${queries.many} queries and ${queries.few}`
    await compare(`GET ${path}`, (host) => ask(host, path), { atMost, addendum })
    if (queries.many !== queries.few) process.exitCode = 1
  }
  const size = (await ask(large, '/board?per_section=1000')).length / many
  console.log(`A card has ${size.toFixed(0)} bytes (target: at most ${maxBytesOfCard})`)
  if (size > maxBytesOfCard) process.exitCode = 1
})

/** Counts the statements that only these reads send: background work of the hosts goes on meanwhile. */
async function queriesOf(host, path) {
  let count = 0
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (config, ...rest) {
    const text = typeof config === 'string' ? config : config.text
    if (statements.some((part) => text.includes(part))) count += 1
    return query.call(this, config, ...rest)
  }
  try {
    await ask(host, path)
    return count
  } finally {
    pg.Client.prototype.query = query
  }
}

/** Sessions with all that a card shows, half of them at rest, and their history. */
async function seed({ app: { db } }, count) {
  await sql`alter table sessions disable trigger sessions_card_arrives`.execute(db)
  await sql`insert into categories (name, position) select 'Category ' || n, n from generate_series(1, 10) as n`.execute(
    db,
  )
  await sql`
    insert into sessions (title, slug, status, archived_at, agent_runtime, genesis, prompt, git_root, branch, config, metadata, sort_order, category_id)
    select 'An errand number ' || n, 'an-errand-number-' || n || '-20261117-0212',
      case when n > ${count} then 'archived' when n % 2 = 0 then 'needs_input' when n % 7 = 0 then 'failed' else 'waiting' end,
      case when n > ${count} then now() end,
      'demo', 'web_ui', 'say hello', 'https://forge.example/acme/widgets.git', 'main', '{"model": "demo"}',
      jsonb_build_object('agent_root_key', 'web', 'clone_path', '/var/lib/yardmaster/clones/session-' || n, 'runtime_started', true),
      n, (select min(id) from categories) + n % 10
    from generate_series(1, ${count + archived}::int) as n
  `.execute(db)
  await sql`
    insert into transcript_threads (session_id, thread, entry_count, last_entry_at, last_said)
    select id, thread, 40, now(), 'Ran the tests: 214 passed, and two are left.'
    from sessions, unnest(array['main', 'subagent']) as thread
  `.execute(db)
  await sql`
    insert into session_transitions (session_id, cause, from_status, to_status)
    select id, 'turn_ended', 'running', 'needs_input' from sessions, generate_series(1, 10) order by 1
  `.execute(db)
  await sql`
    insert into enqueued_messages (session_id, content, position, status)
    select id, 'and then this', n, case when n = 10 and id % 5 = 0 then 'pending' else 'sent' end from sessions, generate_series(1, 10) as n
  `.execute(db)
  await sql`
    insert into notifications (session_id, notification_type, title, body, read)
    select id, 'needs_input', 'An errand', 'Done.', n > 1 or status = 'archived' from sessions, generate_series(1, 5) as n
  `.execute(db)
  // In parts, because the triggers that sum the ledger up take long for many rows.
  for (let from = 0; from < count + archived; from += 500)
    await sql`
      insert into session_usage (request_id, session_id, agent_root, agent_runtime, model, called_at, input_tokens, output_tokens)
      select 'request-' || id || '-' || n, id, 'web', 'demo', 'opus', now() - n * interval '1 minute', 1000, 100
      from (select id, status from sessions order by id offset ${from} limit 500) as part, generate_series(1, 5) as n
      where n = 1 or status <> 'archived'
    `.execute(db)
  await sql`alter table sessions enable trigger sessions_card_arrives`.execute(db)
  await sql`analyze`.execute(db)
}
