import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { issueToken } from '../packages/server/dist/domain/elicitations/elicitation.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'

/**
 * What 200 pending elicitations cost that are each polled every second, by their token and without a key: the CPU time of the
 * host and of its PostgreSQL, less what both use when no one polls, as a share of one core.
 */
const pending = 200
const seconds = 30
const target = 0.05

const poller = fileURLToPath(new URL('./support/elicitation-poller.mjs', import.meta.url))
const { host, stop } = await startBenchHost({ ROLE: 'web' })
const { app } = host
try {
  const addresses = await ask()
  await wait(3000)
  const idle = await cpuShare(seconds / 2)
  const child = spawn(process.execPath, [poller, String(seconds + 6)], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(addresses))
  let counted = ''
  child.stdout.on('data', (text) => {
    counted += text
  })
  // The first polls fill the memory of the host.
  await wait(3000)
  const busy = await cpuShare(seconds)
  await new Promise((resolve) => child.once('close', resolve))
  const share = busy.total - idle.total
  const parts = `host ${percent(busy.host - idle.host)}, PostgreSQL ${percent(busy.database - idle.database)}`
  console.log(
    `${pending} pending elicitations polled every second: ${percent(share)} of one core (${parts}; target: under ${percent(target)}); ${counted.trim()}`,
  )
  if (share >= target) process.exitCode = 1
} finally {
  await stop()
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
