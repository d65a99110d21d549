import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { issueToken } from '../packages/server/dist/domain/elicitations/elicitation.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'

/**
 * What 200 pending elicitations cost that are each polled every second, by their token and without a key: the CPU time of the
 * host and of its PostgreSQL, less what both use when no one polls, as a share of one core. A busy machine makes every request
 * dearer, so the same polls of a bare HTTP server of Node, in the same process, are measured beside it.
 */
const pending = 200
const seconds = 20
/** At full speed, before anything is measured: a host that has just started runs its code uncompiled. */
const warmUps = 5000
const target = 0.05

const poller = fileURLToPath(new URL('./support/elicitation-poller.mjs', import.meta.url))
const { host, stop } = await startBenchHost({ ROLE: 'web' })
const { app } = host
const bare = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"action":"pending","content":null,"_meta":{"com.yardmaster/request-id":"bench"}}')
})
bare.listen(0, '127.0.0.1')
await once(bare, 'listening')
try {
  const addresses = await ask()
  const { port } = bare.address()
  const plain = addresses.map((_, index) => `http://127.0.0.1:${port}/bench-${index}`)
  const idle = await cpuShare(seconds / 2)
  const ours = await polled(addresses)
  const floor = await polled(plain)
  const share = ours.total - idle.total
  const parts = `host ${percent(ours.host - idle.host)}, PostgreSQL ${percent(ours.database - idle.database)}`
  const beside = `a bare HTTP server ${percent(floor.host - idle.host)}`
  console.log(
    `${pending} pending elicitations polled every second: ${percent(share)} of one core (${parts}; ${beside}; target: under ${percent(target)}); ${ours.counted}`,
  )
  if (share >= target) process.exitCode = 1
} finally {
  bare.close()
  bare.closeAllConnections()
  await stop()
}

/** The share of one core while a process of its own polls these addresses. */
async function polled(addresses) {
  const child = spawn(process.execPath, [poller, String(seconds + 2), String(warmUps)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(addresses))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const share = await cpuShare(seconds)
  const { value: counted } = await lines.next()
  await once(child, 'close')
  return { ...share, counted }
}

/** The poll addresses of as many questions, each of a session of its own. */
async function ask() {
  const { rows } = await sql`
    insert into sessions (git_root, branch, agent_runtime, genesis, status, config)
    select '/srv/none', 'main', 'demo', 'api', 'needs_input', '{}' from generate_series(1, ${pending})
    returning id
  `.execute(app.db)
  const addresses = []
  for (const { id } of rows) {
    const token = await transact(app.db, (tx) => issueToken(app, tx, { sessionId: id, marker: `bench-${id}` }))
    const address = `${host.web.url}/api/v1/elicitations/session/${token}`
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Go on?', _meta: { 'com.yardmaster/request-id': `bench-${id}` } }),
    })
    if (answer.status !== 201) throw new Error(`asking answered ${answer.status}: ${await answer.text()}`)
    addresses.push(`${address}/bench-${id}`)
  }
  return addresses
}

async function cpuShare(duration) {
  const before = [process.cpuUsage(), databaseSeconds()]
  await wait(duration * 1000)
  const { user, system } = process.cpuUsage(before[0])
  const used = { host: (user + system) / 1e6 / duration, database: (databaseSeconds() - before[1]) / duration }
  return { ...used, total: used.host + used.database }
}

/** The CPU time of the processes of our embedded PostgreSQL, those that have ended included. */
function databaseSeconds() {
  const stats = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
        .map(Number)
      return [{ pid: Number(pid), parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] }]
    } catch {
      return []
    }
  })
  const file = `${app.home.in('postgres', 'data')}/postmaster.pid`
  const postmaster = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  const ticks = stats
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { pid, own, ended }) => sum + own + (pid === postmaster ? ended : 0), 0)
  return ticks / 100
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
