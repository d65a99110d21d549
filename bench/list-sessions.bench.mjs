import { fastify } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { benchKey, startBenchHost } from './support/host.mjs'
import { requestsPerSecond } from './support/load.mjs'

/**
 * GET /sessions, 25 of 10,000: the cost of declarations, key check, parsing and presenting on top of the queries. The bare
 * route sends the same statements through the same pool and answers with the same bytes, prepared in advance.
 */
const target = 0.6
const rounds = 5

const { host, stop } = await startBenchHost()
try {
  await seed(host.app.db, 10_000)
  const path = '/api/v1/sessions'
  const headers = { 'x-api-key': benchKey }
  const { statements, body } = await record(host, path, headers)
  const bare = fastify()
  bare.get('/', async (_request, reply) => {
    const [first, ...rest] = statements
    await run(host.app.db, first)
    await Promise.all(rest.map((statement) => run(host.app.db, statement)))
    return reply.type('application/json; charset=utf-8').send(body)
  })
  const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 })
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const load = { requests: 600, connections: 16 }
    const ours = await requestsPerSecond({ url: host.web.url + path, headers, ...load })
    const theirs = await requestsPerSecond({ url: bareUrl, ...load })
    ratios.push(ours / theirs)
  }
  await bare.close()
  const ratio = ratios.sort((a, b) => a - b)[Math.floor(rounds / 2)]
  console.log(
    `GET /sessions reaches ${ratio.toFixed(2)} of a bare route's requests per second (target: at least ${target})`,
  )
  if (ratio < target) process.exitCode = 1
} finally {
  await stop()
}

async function seed(db, count) {
  await sql`
    insert into sessions (title, agent_runtime, genesis, prompt, git_root, branch, config, metadata, created_at)
    select 'Session ' || n, 'demo', 'api', 'say hello ' || n, 'https://forge.example/acme/widgets.git', 'main',
      '{"model": "demo"}', '{"clone_path": "/var/lib/yardmaster/clones/session-1", "runtime_started": true}',
      now() - n * interval '1 second'
    from generate_series(1, ${count}) as n
  `.execute(db)
  await sql`analyze sessions`.execute(db)
}

/** Sends one real request and records its statements. */
async function record(host, path, headers) {
  const statements = []
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (config, ...rest) {
    const statement = typeof config === 'string' ? { text: config, values: rest[0] } : config
    if (statement.text.includes('sessions')) statements.push(statement)
    else if (statement.text.includes('"settings"')) statements.unshift(statement)
    return query.call(this, config, ...rest)
  }
  try {
    const answer = await fetch(host.web.url + path, { headers })
    return { body: await answer.text(), statements }
  } finally {
    pg.Client.prototype.query = query
  }
}

function run(db, { text, values }) {
  return db.executeQuery({ sql: text, parameters: values ?? [], query: { kind: 'RawNode' } })
}
