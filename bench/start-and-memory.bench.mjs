import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * The time of a warm start from the command to the first answer of /up, and the memory of the idle server without
 * PostgreSQL, each compared with a bare Node server.
 */
const targets = { warmStartMs: 3000, idleMegabytes: 150 }
const settleMs = 5000

const home = await mkdtemp(join(tmpdir(), 'yardmaster-bench-'))
await chmod(home, 0o755)
const entry = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))
const yardmaster = [
  ...process.execArgv,
  '--input-type=module',
  '--eval',
  `await (await import(${JSON.stringify(entry)})).main()`,
]
const bare = [
  '--input-type=module',
  '--eval',
  `(await import('node:http')).createServer((q, r) => r.end()).listen(process.env.PORT)`,
]
try {
  await measure(yardmaster) // creates the database
  const ours = await measure(yardmaster)
  const theirs = await measure(bare)
  report('Warm start to /up', ours.startMs, theirs.startMs, 'ms', targets.warmStartMs)
  if (ours.megabytes) report('Idle memory', ours.megabytes, theirs.megabytes, 'MB', targets.idleMegabytes)
} finally {
  await rm(home, { recursive: true, force: true })
}

async function measure(args) {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), YARDMASTER_HOME: home, API_KEYS: 'bench-key', LOG_LEVEL: 'error' }
  const started = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (!(await answers(port))) await wait(10)
  const startMs = performance.now() - started
  await wait(settleMs)
  const megabytes = await residentMegabytes(child.pid)
  child.kill('SIGTERM')
  await exited
  return { startMs, megabytes }
}

async function answers(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/up`)).ok
  } catch {
    return false
  }
}

/** Undefined on systems without /proc. */
async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
  return kilobytes && Number(kilobytes) / 1024
}

function report(what, ours, theirs, unit, target) {
  const figures = `${ours.toFixed(0)} ${unit}, ${(ours / theirs).toFixed(1)} times a bare Node's`
  console.log(`${what}: ${figures} (target: at most ${target} ${unit})`)
  if (ours > target) process.exitCode = 1
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
