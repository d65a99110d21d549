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
import { Unprepared } from './prepare-error.mjs'

// The turn is a folder with one file, named after its holder. Taking the turn is renaming a filled folder onto that
// path, which the system refuses while the folder there is filled. Ending the turn of a holder that died is removing
// the file that bears its name, which can never be somebody else's. So no two waiters can both win.

const pollMs = 100
const heartbeatMs = 5_000

// A holder that has not touched its file for so long is not the process that wrote it: its pid was given to another,
// as happens after a reboot.
const silenceMs = 60_000

/**
 * Does `work` while no other process does work on the same folder; waits for its turn.
 * `work` is handed a function to record the children it starts: the turn outlives a killed holder until they are gone.
 *
 * @param {string} folder
 * @param {(recordChild: (pid: number) => void) => Promise<void>} work
 */
export async function oneAtATime(folder, work) {
  const turn = `${folder}/prepare.turn`
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`
  const mine = `${turn}/${name}`
  try {
    mkdirSync(folder, { recursive: true })
    await takeTurn(turn, name)
  } catch (problem) {
    throw new Unprepared(`Yardmaster has to install or build, but cannot write to ${folder}: ${messageOf(problem)}.`)
  }

  const heartbeat = setInterval(() => touch(mine), heartbeatMs)
  try {
    await work((pid) => writeFileSync(mine, `${pid}\n`, { flag: 'a' }))
  } finally {
    clearInterval(heartbeat)
    endTurn(turn, name)
  }
}

/**
 * @param {string} turn
 * @param {string} name
 */
async function takeTurn(turn, name) {
  let isAnnounced = false
  let watched = { name: '', touchedMs: 0, sinceMs: 0 }
  for (;;) {
    const holder = readHolder(turn)
    if (!holder) {
      if (movesIn(turn, name)) return
      continue
    }
    if (holder.name !== watched.name || holder.touchedMs !== watched.touchedMs) {
      watched = { name: holder.name, touchedMs: holder.touchedMs, sinceMs: performance.now() }
    }
    const isSilent = performance.now() - watched.sinceMs > silenceMs
    if (isSilent || !holder.pids.some(isAlive)) {
      endTurn(turn, holder.name)
      continue
    }
    if (!isAnnounced) console.error('Another run is installing or building; waiting for it.')
    isAnnounced = true
    await sleep(pollMs)
  }
}

/**
 * @param {string} turn
 * @param {string} name
 */
function movesIn(turn, name) {
  const filled = `${turn}.${name}`
  mkdirSync(filled)
  writeFileSync(`${filled}/${name}`, `${process.pid}\n`)
  try {
    renameSync(filled, turn)
    return true
  } catch (problem) {
    rmSync(filled, { recursive: true, force: true })
    if (codeOf(problem) === 'ENOTEMPTY' || codeOf(problem) === 'EEXIST') return false
    throw problem
  }
}

/** @param {string} turn */
function readHolder(turn) {
  try {
    const [name] = readdirSync(turn)
    if (name === undefined) return undefined
    const pids = readFileSync(`${turn}/${name}`, 'utf8').split('\n').filter(Boolean).map(Number)
    return { name, pids, touchedMs: statSync(`${turn}/${name}`).mtimeMs }
  } catch (problem) {
    // It ended its turn while we were looking.
    if (codeOf(problem) === 'ENOENT') return undefined
    throw problem
  }
}

/**
 * @param {string} turn
 * @param {string} name
 */
function endTurn(turn, name) {
  rmSync(`${turn}/${name}`, { force: true })
  try {
    rmdirSync(turn)
  } catch (problem) {
    // The next in line has moved in, or another waiter tidied up first.
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
