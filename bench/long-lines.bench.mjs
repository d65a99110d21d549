import { sql } from 'kysely'
import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { startBenchHost } from './support/host.mjs'
import { watchLatency } from './support/latency.mjs'
import { atRest, createSession } from './support/sessions.mjs'

/** Eight agents write lines of 8 MB to their transcripts. Meanwhile the server answers `/up`. */
const target = { p99Ms: 100 }
const agents = 8
const linesPerAgent = 2
const lineBytes = 8 * 1024 * 1024 - 200

/** What the lines are full of: prose with secrets, code with escapes, an image, and brackets, which are slow to parse. */
const fillings = [
  "'The agent read the file and found TOKEN=ghp_' + 'a1B2'.repeat(9) + ' in it, then went on. '",
  "'const password = \\u0001\\\\n\\t\\u001b[32mok\\u001b[0m\\n'",
  "require('crypto').randomBytes(3 * (1 << 20)).toString('base64')",
  "'['",
]

const { host, stop } = await startBenchHost()
try {
  await sampleRepository(host.app.home)
  await host.app.db.updateTable('settings').set({ spot_gating_enabled: false }).execute()
  const watch = watchLatency(`${host.web.url}/up`)
  const started = performance.now()
  const ids = await Promise.all(Array.from({ length: agents }, (_, n) => createSession(host, promptOf(n))))
  const statuses = await Promise.all(ids.map((id) => atRest(host, id)))
  const seconds = (performance.now() - started) / 1000
  const times = await watch.stop()
  const { count, withheld } = await stored()
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
  const megabytes = (count * lineBytes) / 1e6
  console.log(
    `While ${agents} agents write ${megabytes.toFixed(0)} MB in lines of 8 MB (${(megabytes / seconds).toFixed(0)} MB/s), ` +
      `/up answers within ${at(0.99).toFixed(0)} ms at p99 (target: ${target.p99Ms}), ` +
      `${at(0.5).toFixed(1)} ms at p50, ${at(1).toFixed(0)} ms at most, of ${times.length} requests; ${withheld} lines were withheld`,
  )
  const isComplete = count === agents * linesPerAgent && statuses.every((status) => status === 'needs_input')
  if (!isComplete) console.log(`Only ${count} of ${agents * linesPerAgent} lines were stored: ${statuses.join(', ')}`)
  if (!isComplete || withheld > 0 || at(0.99) > target.p99Ms) process.exitCode = 1
} finally {
  await stop()
}

/** The agent runs a script that appends a line to the agent's own transcript. */
function promptOf(n) {
  const script = `
    const { appendFileSync, readdirSync } = require('fs')
    const folder = process.env.HOME + '/transcripts/'
    const piece = ${fillings[n % fillings.length]}
    const size = Math.floor(${lineBytes} / JSON.stringify(piece).length)
    const content = piece.repeat(Math.max(1, size))
    const line = JSON.stringify({ type: 'user', message: { role: 'user', content } })
    appendFileSync(folder + readdirSync(folder).find((name) => name.endsWith('.jsonl')), line + '\\n')
  `
  const command = `echo ${Buffer.from(script).toString('base64')} | base64 -d | node -`
  return Array.from({ length: linesPerAgent }, () => `run ${command}`).join('\n')
}

async function stored() {
  const { rows } = await sql`
    select count(*) filter (where octet_length(line) > 1000000)::int as count,
           count(*) filter (where line like '{"type":"withheld%')::int as withheld
    from transcript_entries
  `.execute(host.app.db)
  return rows[0]
}
