// Starts the built server on each supported version of Node and finishes a first session on it:
// `npm run test:node [version ...]`.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { installCli, RegistryUnreachable } from './install-cli.mjs'
import { listProcesses } from './list-processes.mjs'
import { prepare } from './prepare.mjs'
import { exitCodeOf, Interrupted, PrepareError } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'

// The oldest Node we support, and a release of each later line. Each has binaries for linux-x64 and linux-arm64.
const pinnedVersions = ['20.19.6', '22.23.3', '24.21.0']

// The exit code that test harnesses read as "skipped".
const notRunExitCode = 77

const startTimeoutMs = 120_000
const sessionTimeoutMs = 60_000
// Draining takes up to 20 s; the rest is for a busy machine.
const stopTimeoutMs = 60_000

await prepare()

const wanted = process.argv.slice(2)
const versions = pinnedVersions.filter(
  (version) => wanted.length === 0 || wanted.some((one) => version.startsWith(one)),
)
if (versions.length === 0) {
  console.error(`No pinned version matches ${wanted.join(', ')}: ${pinnedVersions.join(', ')}.`)
  process.exit(2)
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const servers = new Set()
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, async () => {
    for (const server of servers) await stop(server)
    process.exit(exitCodeOf(signal))
  })
}

try {
  let hasFailed = false
  for (const version of versions) {
    const program = await installNode(version)
    const startedMs = performance.now()
    const problem = await firstSession(program).then(
      () => undefined,
      (error) => error,
    )
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(`Node ${version}: ${problem ? `FAILED ${problem.message}` : 'a first session finished'} (${seconds} s)`)
    if (problem) hasFailed = true
  }
  process.exitCode = hasFailed ? 1 : 0
} catch (problem) {
  if (problem instanceof Interrupted) process.exit(problem.exitCode)
  if (!(problem instanceof PrepareError)) throw problem
  console.error(problem.message)
  const isUnreachable = problem instanceof RegistryUnreachable
  if (isUnreachable) console.error('NOT GREEN: the other versions of Node were not tested.')
  process.exitCode = isUnreachable ? notRunExitCode : 1
}

/**
 * The npm package `node` installs one of these packages by a script; we install it directly, without scripts.
 *
 * @param {string} version
 */
async function installNode(version) {
  const cacheFolder = `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/yardmaster/node`
  const name = `node-${process.platform}-${process.arch}`
  const folder = `${cacheFolder}/${name}-${version}`
  const program = `${folder}/node_modules/${name}/bin/node`
  await installCli(cacheFolder, { cli: { package: name, version }, folder, program })
  return program
}

/**
 * Starts a server from an empty home, runs the README's first session and stops the server.
 *
 * @param {string} program
 */
async function firstSession(program) {
  const folder = mkdtempSync(`${tmpdir()}/yardmaster-node-`)
  // As root, PostgreSQL runs as another user, who has to reach its data.
  chmodSync(folder, 0o755)
  const home = `${folder}/home`
  const port = await freePort()
  const env = { PATH: process.env.PATH, HOME: folder, HOST: '127.0.0.1', PORT: String(port), YARDMASTER_HOME: home }
  const server = spawn(program, [`${repositoryRoot}/scripts/start.mjs`], {
    cwd: repositoryRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  servers.add(server)
  const output = collectOutput(server)
  try {
    await until('the server prints its address', startTimeoutMs, async () => {
      if (server.exitCode !== null) throw new Error(`the server exited with ${server.exitCode}\n${output()}`)
      return output().includes('Run a first session:')
    })
    const transcript = await runSession(`http://127.0.0.1:${port}/api/v1`, home)
    for (const line of ['Hello from Yardmaster', '[tool_result] README.md']) {
      if (!transcript.includes(line)) throw new Error(`the transcript lacks "${line}":\n${transcript}`)
    }
    const exit = await stop(server)
    if (exit !== 0) throw new Error(`after SIGTERM the server ended with ${exit}\n${output()}`)
    const left = listProcesses().filter(({ text }) => text.includes(`${home}/`))
    if (left.length > 0)
      throw new Error(`still running: ${left.map(({ pid, text }) => `${pid} ${text.slice(0, 200)}`).join('; ')}`)
  } finally {
    await stop(server)
    servers.delete(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} api
 * @param {string} home
 */
async function runSession(api, home) {
  const headers = {
    'x-api-key': readFileSync(`${home}/api-key`, 'utf8').trim(),
    'content-type': 'application/json',
  }
  const body = JSON.stringify({
    git_root: `${home}/sample-repository`,
    title: 'Look around',
    prompt: 'say Hello from Yardmaster\nrun ls',
  })
  const created = await answer(`${api}/sessions`, { method: 'POST', headers, body })
  const address = `${api}/sessions/${created.session.id}`
  await until('the session comes to rest', sessionTimeoutMs, async () => {
    const { status } = (await answer(address, { headers })).session
    if (status === 'failed') throw new Error('the session failed')
    return status === 'needs_input'
  })
  return (await fetch(`${address}/transcript?format=text`, { headers })).text()
}

/**
 * @param {string} url
 * @param {RequestInit} request
 * @returns {Promise<{ session: { id: number, status: string } }>}
 */
async function answer(url, request) {
  const response = await fetch(url, request)
  if (!response.ok) throw new Error(`${request.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`)
  return /** @type {Promise<{ session: { id: number, status: string } }>} */ (response.json())
}

/**
 * Sends SIGTERM, and SIGKILL after the timeout. Answers with the exit code or the signal.
 *
 * @param {import('node:child_process').ChildProcess} server
 */
async function stop(server) {
  if (server.exitCode === null && server.signalCode === null) {
    const exited = new Promise((resolve) => server.once('exit', resolve))
    const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs)
    server.kill('SIGTERM')
    await exited
    clearTimeout(timer)
  }
  return server.exitCode ?? server.signalCode
}

/** @param {import('node:child_process').ChildProcess} server */
function collectOutput(server) {
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-64 * 1024)
    })
  }
  return () => output
}

/**
 * @param {string} what
 * @param {number} timeoutMs
 * @param {() => Promise<boolean>} isSo
 */
async function until(what, timeoutMs, isSo) {
  const deadlineMs = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`timed out after ${timeoutMs / 1000} s: ${what}`)
    await sleep(100)
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
