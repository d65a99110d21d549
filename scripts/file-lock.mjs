import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PrepareError } from './prepare-error.mjs'

// Separate from the server's lock (platform/concurrency/file-lock.ts): this one runs before the dependencies are installed
// and the server is built, on a Node that cannot load TypeScript.
//
// The lock is a folder with one file, named after its holder. A process takes the lock by renaming a filled folder onto
// that path, which the system refuses while the folder there is not empty. A waiter breaks the lock of a dead holder by
// removing the file with the holder's name, which cannot be the file of a later holder. So two waiters never both win.

const pollMs = 100
const heartbeatMs = 5_000

// A holder refreshes its file every 5 s. After this long without a refresh the pid belongs to another process, as it may
// after a reboot.
const staleMs = 60_000

/**
 * Runs `work` under a lock on the folder that all processes share, and waits for the lock first.
 * `work` records the children that it starts: after a crash of the holder, the lock stays until they have ended.
 *
 * @param {string} folder
 * @param {(recordChild: (pid: number) => void) => Promise<void>} work
 */
export async function withFileLock(folder, work) {
  const lock = `${folder}/prepare.lock`
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`
  const ownFile = `${lock}/${name}`
  try {
    mkdirSync(folder, { recursive: true })
    await acquire(lock, name)
  } catch (problem) {
    throw new PrepareError(`Yardmaster has to install or build, but cannot write to ${folder}: ${messageOf(problem)}.`)
  }

  const heartbeat = setInterval(() => touch(ownFile), heartbeatMs)
  try {
    await work((pid) => writeFileSync(ownFile, `${pid}\n`, { flag: 'a' }))
  } finally {
    clearInterval(heartbeat)
    release(lock, name)
  }
}

/**
 * @param {string} lock
 * @param {string} name
 */
async function acquire(lock, name) {
  let isAnnounced = false
  let watched = { name: '', touchedMs: 0, sinceMs: 0 }
  for (;;) {
    const holder = readHolder(lock)
    if (!holder) {
      if (tryAcquire(lock, name)) return
      continue
    }
    if (holder.name !== watched.name || holder.touchedMs !== watched.touchedMs) {
      watched = { name: holder.name, touchedMs: holder.touchedMs, sinceMs: performance.now() }
    }
    const isStale = performance.now() - watched.sinceMs > staleMs
    if (isStale || !holder.pids.some(isAlive)) {
      release(lock, holder.name)
      continue
    }
    if (!isAnnounced) console.error('Another run is installing or building; waiting for it.')
    isAnnounced = true
    await sleep(pollMs)
  }
}

/**
 * @param {string} lock
 * @param {string} name
 */
function tryAcquire(lock, name) {
  const filled = `${lock}.${name}`
  mkdirSync(filled)
  writeFileSync(`${filled}/${name}`, `${process.pid}\n`)
  try {
    renameSync(filled, lock)
    return true
  } catch (problem) {
    rmSync(filled, { recursive: true, force: true })
    if (codeOf(problem) === 'ENOTEMPTY' || codeOf(problem) === 'EEXIST') return false
    throw problem
  }
}

/** @param {string} lock */
function readHolder(lock) {
  try {
    const [name] = readdirSync(lock)
    if (name === undefined) return undefined
    const pids = readFileSync(`${lock}/${name}`, 'utf8').split('\n').filter(Boolean).map(Number)
    return { name, pids, touchedMs: statSync(`${lock}/${name}`).mtimeMs }
  } catch (problem) {
    // The holder released the lock between two of these calls.
    if (codeOf(problem) === 'ENOENT') return undefined
    throw problem
  }
}

/**
 * @param {string} lock
 * @param {string} name
 */
function release(lock, name) {
  rmSync(`${lock}/${name}`, { force: true })
  try {
    rmdirSync(lock)
  } catch (problem) {
    // The next holder has the lock, or another waiter removed the folder first.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(problem))) throw problem
  }
}

/** @param {string} file */
function touch(file) {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch (problem) {
    if (codeOf(problem) !== 'ENOENT') throw problem
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (problem) {
    return codeOf(problem) === 'EPERM'
  }
}

/** @param {unknown} problem */
function codeOf(problem) {
  return problem instanceof Error && 'code' in problem ? String(problem.code) : ''
}

/** @param {unknown} problem */
function messageOf(problem) {
  return problem instanceof Error ? problem.message : String(problem)
}
