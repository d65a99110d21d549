import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from './errno.ts'
import { type ProcessIdentity, type ProcessTable, processTable } from './process-table.ts'

export type StopReport = {
  /** What ended the process itself. */
  endedBy: 'already_gone' | 'ask' | 'sigterm' | 'sigkill'
  /** How many others of the run had to be killed after it. */
  swept: number
  /** Whom even SIGKILL has not ended yet: a process in an uninterruptible system call, or of another user. */
  survivors: ProcessIdentity[]
}

export type StopRequest = {
  /** How long SIGTERM is given to work. */
  graceMs: number
  /** The polite way, such as an interrupt in the agent's own protocol. If it fails, SIGTERM follows at once. */
  ask?: () => Promise<void> | void
  /** How long `ask` is given to work, the call included. Otherwise as long as `graceMs`. */
  askMs?: number
  /** How long what it started may go on after it, to put its papers in order. Otherwise not at all. */
  lingerMs?: number
}

/**
 * Ends a process and everything that was started for its run: ask, SIGTERM, SIGKILL, then kill whoever else carries
 * the run marker. May be called again, and by several at once: whoever is less patient prevails.
 */
export async function stopTree(
  options: StopRequest & { identity: ProcessIdentity | undefined; marker: string; table?: ProcessTable },
): Promise<StopReport> {
  const { identity, marker, lingerMs = 0, table = processTable() } = options
  const run = watchRun(table, marker, identity)
  const endedBy = identity ? await endProcess(identity, { ...options, table, look: run.look }) : 'already_gone'
  if (lingerMs > 0 && endedBy !== 'sigkill') await comesTrueWithin(lingerMs, () => isNobodyLeft(run, table))
  const { swept, survivors } = await sweep(run, table)
  if (identity && (await table.isRunning(identity)) && !survivors.some((one) => one.pid === identity.pid)) {
    survivors.push(identity)
  }
  return { endedBy, swept, survivors }
}

/** Kills every process that carries the marker: what is left to do when we crashed and only the marker is known. */
export async function sweepMarked(marker: string, table: ProcessTable = processTable()): Promise<number> {
  return (await sweep(watchRun(table, marker), table)).swept
}

type Ending = StopRequest & { table: ProcessTable; look: () => Promise<void> }

async function endProcess(identity: ProcessIdentity, how: Ending): Promise<StopReport['endedBy']> {
  const { table, graceMs, ask, askMs = graceMs } = how
  if (!(await table.isRunning(identity))) return 'already_gone'
  // Before the parent goes: a child that cleared its environment is known only by its parent.
  await how.look()
  if (ask) {
    if (await endsByAsking(identity, { table, ask, askMs })) return 'ask'
    await how.look()
  }
  if (await table.isRunning(identity)) signalGroup(identity, 'SIGTERM')
  if (await isGoneWithin(graceMs, identity, table)) return 'sigterm'
  await how.look()
  if (await table.isRunning(identity)) signalGroup(identity, 'SIGKILL')
  await isGoneWithin(killMs, identity, table)
  return 'sigkill'
}

/** SIGKILL works at once unless the process is in the middle of a system call. */
const killMs = 5_000

async function endsByAsking(
  identity: ProcessIdentity,
  { table, ask, askMs }: { table: ProcessTable; ask: () => Promise<void> | void; askMs: number },
): Promise<boolean> {
  const refused = new AbortController()
  // Not awaited: a process that does not answer must not hold us up beyond askMs.
  void Promise.resolve()
    .then(ask)
    .catch(() => refused.abort())
  return isGoneWithin(askMs, identity, table, refused.signal)
}

function isGoneWithin(
  limitMs: number,
  identity: ProcessIdentity,
  table: ProcessTable,
  giveUp?: AbortSignal,
): Promise<boolean> {
  return comesTrueWithin(limitMs, async () => !(await table.isRunning(identity)), giveUp)
}

async function comesTrueWithin(
  limitMs: number,
  isTrue: () => Promise<boolean>,
  giveUp?: AbortSignal,
): Promise<boolean> {
  const endMs = performance.now() + limitMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (await isTrue()) return true
    const leftMs = endMs - performance.now()
    if (leftMs <= 0 || giveUp?.aborted) return false
    await sleep(Math.min(pauseMs, leftMs))
  }
}

type Run = { known: Map<string, ProcessIdentity>; look: () => Promise<void> }

/** Everybody ever seen with the marker, also those who have since lost it from sight. */
function watchRun(table: ProcessTable, marker: string, first?: ProcessIdentity): Run {
  const known = new Map<string, ProcessIdentity>()
  const look = async () => {
    for (const found of await table.findMarked(marker, first)) known.set(`${found.pid} ${found.startTime}`, found)
  }
  return { known, look }
}

async function isNobodyLeft(run: Run, table: ProcessTable): Promise<boolean> {
  await run.look()
  const areRunning = await Promise.all([...run.known.values()].map((identity) => table.isRunning(identity)))
  return !areRunning.includes(true)
}

async function sweep(run: Run, table: ProcessTable): Promise<{ swept: number; survivors: ProcessIdentity[] }> {
  const killed = new Set<string>()
  let survivors: ProcessIdentity[] = []
  let cleanLooks = 0
  for (let round = 0; round < maxRounds && cleanLooks < cleanLooksNeeded; round++) {
    if (survivors.length > 0) await sleep(roundPauseMs)
    await run.look()
    survivors = []
    for (const [key, identity] of run.known) {
      if (!(await table.isRunning(identity))) run.known.delete(key)
      else {
        survivors.push(identity)
        if (signal(identity.pid, 'SIGKILL')) killed.add(key)
      }
    }
    cleanLooks = survivors.length === 0 ? cleanLooks + 1 : 0
  }
  return { swept: killed.size, survivors }
}

/** They may fork while we kill, and take a moment to end. Whoever outlasts this many rounds cannot be killed by us. */
const maxRounds = 40
const roundPauseMs = 25

/** One look can miss a process that forked after the listing was made and ended before it was read. */
const cleanLooksNeeded = 2

/**
 * To the group; to the process alone if it leads none. Not SIGTERM to both: agents take the second one as "at once".
 */
function signalGroup({ pid }: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL') {
  const hasGroup = signal(-pid, name)
  if (!hasGroup || name === 'SIGKILL') signal(pid, name)
}

/** Call it only for a process just seen to run: of a pid alone nobody knows whose it is. */
function signal(target: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  // 0 and -1 mean "our own group" and "everybody"; 1 is the system.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1 || Math.abs(target) === process.pid) {
    throw new Error(`Refusing to send ${name} to ${target}.`)
  }
  try {
    return process.kill(target, name)
  } catch (error) {
    // Gone meanwhile, or not ours to signal (macOS says so of zombies as well).
    if (['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) return false
    throw error
  }
}
