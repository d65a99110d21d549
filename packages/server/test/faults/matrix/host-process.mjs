import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processTable } from '../../../dist/platform/process/process-table.js'

const program = fileURLToPath(new URL('./host.mjs', import.meta.url))

/** Service managers commonly allow 20 s; the rest is for a busy machine. */
const stopLimitMs = 25_000

/** Starts a host and waits until it serves. Recovery time counts from `bootedAt`, when the process was spawned. */
export async function startHostProcess({ home, logFile, environment = {} }) {
  const bootedAt = performance.now()
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      YARDMASTER_HOME: home,
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
  })
  child.stderr.pipe(createWriteStream(logFile, { flags: 'a' }))
  const exited = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  const channel = commandChannel(child)
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const signal = (name) => isAlive() && child.kill(name)
  const stop = async (name = 'SIGTERM') => {
    signal(name)
    const killTimer = setTimeout(() => signal('SIGKILL'), stopLimitMs)
    try {
      return await exited
    } finally {
      clearTimeout(killTimer)
    }
  }
  const ready = await Promise.race([channel.ready, exited.then(() => undefined)])
  if (!ready) {
    throw new Error(`a host exited before it served: ${(await readFile(logFile, 'utf8')).slice(-1000)}`)
  }
  const { url, hostId, key } = ready
  return {
    pid: child.pid,
    identity: await processTable().identify(child.pid),
    home,
    hostId,
    url,
    key,
    bootedAt,
    isAlive,
    exited,
    signal,
    stop,
    kill: () => stop('SIGKILL'),
    ...client(url, key),
    command: channel.send,
    /** The pid of its embedded database, if it has one. */
    postmasterPid: async () =>
      Number((await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '')).split('\n', 1)[0]),
  }
}

/** A command whose host dies resolves to `isUnanswered`: only the rows say whether it was carried out. */
function commandChannel(child) {
  const open = new Map()
  let number = 0
  let resolveReady
  const ready = new Promise((resolve) => {
    resolveReady = resolve
  })
  child.on('message', (message) => {
    if ('url' in message) return resolveReady(message)
    open.get(message.number)?.(message)
    open.delete(message.number)
  })
  child.once('close', () => {
    for (const answer of open.values()) answer({ isUnanswered: true })
    open.clear()
  })
  const send = (command, input) =>
    new Promise((resolve) => {
      if (!child.connected) return resolve({ isUnanswered: true })
      number += 1
      open.set(number, resolve)
      child.send({ number, command, input }, () => undefined)
    })
  return { ready, send }
}

/** A request without an answer, because no server listens or it dies, has status 0. */
function client(url, key) {
  const call = async (method, path, body) => {
    try {
      const response = await fetch(url + path, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
    } catch {
      return { status: 0, body: undefined }
    }
  }
  return {
    /** A response whose body the caller reads as it arrives. */
    open: (path, { headers, signal }) => fetch(url + path, { headers: { 'x-api-key': key, ...headers }, signal }),
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  }
}
