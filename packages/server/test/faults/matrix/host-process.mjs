import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processTable } from '../../../dist/platform/process/process-table.js'

const program = fileURLToPath(new URL('./host.mjs', import.meta.url))

/** What a service manager commonly grants, and a little for a busy machine. */
const stopLimitMs = 25_000

/** Starts a host and waits until it serves. `bootedAt` is when the process was started: recovery counts from there. */
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
  const orders = orderBook(child)
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const signal = (name) => isAlive() && child.kill(name)
  const stop = async (name = 'SIGTERM') => {
    signal(name)
    const insist = setTimeout(() => signal('SIGKILL'), stopLimitMs)
    try {
      return await exited
    } finally {
      clearTimeout(insist)
    }
  }
  const greeting = await Promise.race([orders.greeting, exited.then(() => undefined)])
  if (!greeting) {
    throw new Error(`a host ended before it was up: ${(await readFile(logFile, 'utf8')).slice(-1000)}`)
  }
  const { url, hostId, key } = greeting
  return {
    pid: child.pid,
    identity: await processTable().identify(child.pid),
    home,
    hostId,
    url,
    bootedAt,
    isAlive,
    exited,
    signal,
    stop,
    kill: () => stop('SIGKILL'),
    ...client(url, key),
    order: orders.give,
    /** Its embedded database, where it has one. */
    postmasterPid: async () =>
      Number((await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '')).split('\n', 1)[0]),
  }
}

/** An order whose host dies is answered with `isUnanswered`: whether it was obeyed, only the rows can tell. */
function orderBook(child) {
  const open = new Map()
  let number = 0
  let greet
  const greeting = new Promise((resolve) => {
    greet = resolve
  })
  child.on('message', (message) => {
    if ('url' in message) return greet(message)
    open.get(message.number)?.(message)
    open.delete(message.number)
  })
  child.once('close', () => {
    for (const answer of open.values()) answer({ isUnanswered: true })
    open.clear()
  })
  const give = (order, about) =>
    new Promise((resolve) => {
      if (!child.connected) return resolve({ isUnanswered: true })
      number += 1
      open.set(number, resolve)
      child.send({ number, order, about }, () => undefined)
    })
  return { greeting, give }
}

/** A request that finds nobody, or whose server dies, has status 0. */
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
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  }
}
