import { sql } from 'kysely'
import { resources } from '../packages/server/dist/surfaces/operator/supervisor/resources.js'
import { compareHosts } from './support/compare.mjs'

/**
 * The lists of /supervisor with many records, compared with few: as they open, and narrowed to one old record by each filter. The
 * worst case of a filter is a value that only the last record of the list has. SUPERVISOR_BENCH_RECORDS sets a smaller number.
 */
const target = 1.5
/** Below this a page costs what it costs to render, and the ratio says nothing. */
const quickMs = 5
const few = 1000
const many = Number(process.env.SUPERVISOR_BENCH_RECORDS ?? 100_000)
const rounds = 21
const slice = 10_000

const password = 'bench-password'
const authorization = `Basic ${Buffer.from(`supervisor:${password}`).toString('base64')}`

/** Rare values, which the first record has. A resource that is not named here is not seeded and not measured. */
const rare = {
  sessions: { status: 'failed', agent_runtime: 'rare' },
  triggers: { status: 'disabled', agent_root_name: 'rare' },
  categories: {},
  settings: {},
  people: {},
  conditions: { trigger_id: '1', condition_type: 'forge_label' },
  work_backlog: { status: 'removed', estimated_cost: 'large', key: 'item-1' },
  messages: { session_id: '1', status: 'undelivered' },
  elicitations: { session_id: '1', status: 'cancel' },
  logs: { session_id: '1', level: 'warning' },
  subagents: { session_id: '1', status: 'failed' },
  notifications: { session_id: '1', notification_type: 'session_failed' },
  costs: { session_id: '1', model: 'rare' },
  summaries: { state: 'failed' },
}

const paths = resources
  .filter(({ name }) => rare[name])
  .flatMap(({ name, filters }) => [
    `/supervisor/${name}`,
    ...Object.keys(filters).map((column) => `/supervisor/${name}?${column}=${rare[name][column]}`),
  ])

const environment = { ROLE: 'web', SUPERVISOR_PASSWORD: password }
await compareHosts({ few, many, rounds, environment, seed }, async ({ measure }) => {
  const measured = []
  for (const path of paths) measured.push({ path, ...(await measure((host) => open(host, path))) })
  const worst = measured.toSorted((one, other) => other.ratio - one.ratio)
  for (const { path, base, other, ratio } of worst.slice(0, 10))
    console.log(`  ${path}: ${base.toFixed(1)} ms, ${other.toFixed(1)} ms, ${ratio.toFixed(2)} times`)
  console.log(
    `With ${many} records the slowest list of /supervisor takes ${worst[0].ratio.toFixed(2)} times what it takes with ${few} (${paths.length} lists; target: at most ${target}, or ${quickMs} ms)`,
  )
  if (measured.some(({ ratio, other }) => ratio > target && other > quickMs)) process.exitCode = 1
})

async function open(host, path) {
  const answer = await fetch(host.web.url + path, { headers: { authorization, accept: 'text/html' } })
  const text = await answer.text()
  if (answer.status !== 200 || text.includes('No record matches'))
    throw new Error(`${path} is not whole: ${answer.status}`)
}

/** The first record of each table has the rare values. */
async function seed({ app: { db } }, count) {
  // In slices, because a statement has a time limit.
  const insert = async (table, columns, values) => {
    for (let from = 1; from <= count; from += slice)
      await sql`
        insert into ${sql.table(table)} (${sql.raw(columns)})
        select ${sql.raw(values)}
        from generate_series(${from}::int, ${Math.min(from + slice - 1, count)}::int) as n
        order by n
      `.execute(db)
  }
  // The triggers of single rows are slow for so many and are not measured here.
  await sql`alter table sessions disable trigger user`.execute(db)
  await sql`alter table work_backlog_items disable trigger user`.execute(db)
  await insert(
    'sessions',
    'title, status, agent_runtime, genesis, git_root, branch, config',
    `'Session ' || n, case n when 1 then 'failed' else 'needs_input' end, case n when 1 then 'rare' else 'demo' end, 'api', '/srv/widgets', 'main', '{}'`,
  )
  await sql`alter table sessions enable trigger user`.execute(db)
  await insert(
    'triggers',
    'name, status, agent_root_name, prompt_template',
    `'Trigger ' || n, case n when 1 then 'disabled' else 'enabled' end, case n when 1 then 'rare' else 'root' end, 'Hello'`,
  )
  await insert(
    'trigger_conditions',
    'trigger_id, condition_type, configuration, is_one_shot',
    `n, case n when 1 then 'forge_label' else 'schedule' end, '{}', false`,
  )
  await insert(
    'work_backlog_items',
    'key, repo, surface, title, kind, scope_direction, estimated_cost, added_at, added_by, added_via, precedence, status, removed_at, removed_by, removal_reason',
    `'item-' || n, 'acme/web', 'web', 'Mend it', 'bug', 'convergent', case n when 1 then 'large' else 'small' end, now(), 'human', 'api', 6000, case n when 1 then 'removed' else 'queued' end, case n when 1 then now() end, case n when 1 then 'human' end, case n when 1 then 'dead' end`,
  )
  await insert('categories', 'name, position', `'Category ' || n, n`)
  await insert(
    'enqueued_messages',
    'session_id, content, position, status',
    `n, 'Hi', 1, case n when 1 then 'undelivered' else 'sent' end`,
  )
  await insert(
    'elicitations',
    'session_id, request_id, namespace, asked_by, message, expires_at, responded_at, status',
    `n, 'r' || n, 'com.yardmaster', 'api', 'Which?', now(), now(), case n when 1 then 'cancel' else 'accept' end`,
  )
  await insert(
    'session_logs',
    'session_id, level, content, origin',
    `n, case n when 1 then 'warning' else 'info' end, 'a line', 'service'`,
  )
  await insert(
    'subagent_transcripts',
    'session_id, agent_id, status',
    `n, 'a' || n, case n when 1 then 'failed' else 'completed' end`,
  )
  await insert('people', 'key, display_name', `'person-' || n, 'Person'`)
  await insert(
    'notifications',
    'session_id, notification_type, title, body',
    `n, case n when 1 then 'session_failed' else 'session_complete' end, 'Hi', 'Hi'`,
  )
  await insert(
    'session_usage',
    'request_id, session_id, agent_runtime, model, called_at',
    `'q' || n, n, 'demo', case n when 1 then 'rare' else 'demo' end, now()`,
  )
  await insert('session_status_summaries', 'session_id, state', `n, case n when 1 then 'failed' else 'idle' end`)
  await sql`vacuum analyze`.execute(db)
}
