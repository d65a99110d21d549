import { sql } from 'kysely'
import { benchKey, startBenchHost } from './support/host.mjs'
import { requestsPerSecond } from './support/load.mjs'
import { median } from './support/sessions.mjs'

/**
 * GET /sessions/:id for a session in a tree of 150, half of which have an uncle, compared with a session without
 * relatives. Both are among 10,000 other sessions; the requests alternate.
 */
const target = 3
const rounds = 5

const { host, stop } = await startBenchHost()
try {
  const { inTree, alone } = await seed(host.app.db)
  const headers = { 'x-api-key': benchKey }
  const load = { headers, requests: 300, connections: 8 }
  const address = (id) => `${host.web.url}/api/v1/sessions/${id}`
  const { session_hierarchy: tree } = await (await fetch(address(inTree), { headers })).json()
  if (tree.nodes.length !== 150) throw new Error(`the tree has ${tree.nodes.length} nodes`)
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const lone = await requestsPerSecond({ url: address(alone), ...load })
    const related = await requestsPerSecond({ url: address(inTree), ...load })
    ratios.push(lone / related)
  }
  const ratio = median(ratios)
  console.log(
    `GET /sessions/:id in a tree of 150 costs ${ratio.toFixed(2)} times as much as alone (target: at most ${target})`,
  )
  if (ratio > target) process.exitCode = 1
} finally {
  await stop()
}

/** Each session has three children, so the tree has five levels. The uncles are in the same tree. */
async function seed(db) {
  await sql`
    insert into sessions (title, agent_runtime, genesis, git_root, branch, config, metadata)
    select 'Session ' || n, 'demo', 'api', 'https://forge.example/acme/widgets.git', 'main', '{"model": "demo"}',
      '{"clone_path": "/var/lib/yardmaster/clones/session-1", "runtime_started": true}'
    from generate_series(1, 10000) as n
  `.execute(db)
  const { rows } = await sql`
    with tree as (
      select id, row_number() over (order by id) as place
      from sessions
      where id % 50 = 0
      limit 150
    ),
    related as (
      update sessions
      set parent_session_id = parent.id
      from tree
      join tree as parent on parent.place = (tree.place + 1) / 3
      where sessions.id = tree.id
        and tree.place > 1
    ),
    linked as (
      insert into uncle_links (junior_session_id, senior_session_id, source)
      select junior.id, senior.id, 'api_v1:sessions.follow_up'
      from tree as senior
      join tree as junior on junior.place = senior.place + 1
      where senior.place % 2 = 0
    )
    select id, place
    from tree
    order by place
  `.execute(db)
  await sql`analyze`.execute(db)
  return { inTree: rows[77].id, alone: rows[0].id + 1 }
}
