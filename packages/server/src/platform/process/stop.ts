import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from './errno.ts'
import { type ProcessIdentity, type ProcessTable, processTable } from './process-table.ts'

export type StopReport = {
  /** How the process itself ended. */
  endedBy: 'already_gone' | 'ask' | 'sigterm' | 'sigkill'
  /** How many other processes of the run were killed afterwards. */
  swept: number
  /** Processes that SIGKILL has not ended yet: in an uninterruptible system call, or of another user. */
  survivors: ProcessIdentity[]
}

export type StopRequest = {
  /** Grace period after SIGTERM. With 0 there is no SIGTERM: the process is killed at once. */
  graceMs: number
  /** A request to exit, such as an interrupt in the agent's own protocol. If it fails, SIGTERM follows at once. */
  ask?: () => Promise<void> | void
  /** Time limit for `ask`, the call included. Default `graceMs`. */
  askMs?: number
  /** Grace period for descendants after the process has ended. Default 0. */
  descendantGraceMs?: number
}

/**
 * Stops a process and everything started for its run: ask, SIGTERM, SIGKILL, then SIGKILL to every process that carries
 * the run marker. Idempotent. Of several concurrent calls the one with the shortest limits takes effect.
 */
export async function stopTree(
  options: StopRequest & { identity: ProcessIdentity | undefined; marker: string; table?: ProcessTable },
): Promise<StopReport> {
  const { identity, marker, descendantGraceMs = 0, table = processTable() } = options
  const run = watchRun(table, marker, identity)
  const endedBy = identity ? await endProcess(identity, { ...options, table, look: run.look }) : 'already_gone'
  if (descendantGraceMs > 0 && endedBy !== 'sigkill')
    await becomesTrueWithin(descendantGraceMs, () => hasRunEnded(run, table))
  const { swept, survivors } = await sweep(run, table)
  if (identity && (await table.isRunning(identity)) && !survivors.some((one) => one.pid === identity.pid)) {
    survivors.push(identity)
  }
  return { endedBy, swept, survivors }
}

/** Kills every process that carries the marker. Used after a crash of ours, when only the marker is known. */
export async function sweepMarked(marker: string, table: ProcessTable = processTable()): Promise<number> {
  return (await sweep(watchRun(table, marker), table)).swept
}

type Ending = StopRequest & { table: ProcessTable; look: () => Promise<void> }

async function endProcess(identity: ProcessIdentity, how: Ending): Promise<StopReport['endedBy']> {
  const { table, graceMs, ask, askMs = graceMs } = how
  if (!(await table.isRunning(identity))) return 'already_gone'
  // Before the parent ends: a child that cleared its environment can be found only through its parent.
  await how.look()
  if (ask) {
    if (await endsByAsking(identity, { table, ask, askMs })) return 'ask'
    await how.look()
  }
  if (graceMs > 0) {
    if (await table.isRunning(identity)) signalGroup(identity, 'SIGTERM')
    if (await isGoneWithin(graceMs, identity, table)) return 'sigterm'
    await how.look()
  }
  if (await table.isRunning(identity)) signalGroup(identity, 'SIGKILL')
  await isGoneWithin(killMs, identity, table)
  return 'sigkill'
}

/** SIGKILL works at once unless the process is inside a system call. */
const killMs = 5_000

async function endsByAsking(
  identity: ProcessIdentity,
  { table, ask, askMs }: { table: ProcessTable; ask: () => Promise<void> | void; askMs: number },
): Promise<boolean> {
  const refused = new AbortController()
  // Not awaited: a process that does not respond must not block us beyond `askMs`.
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
  return becomesTrueWithin(limitMs, async () => !(await table.isRunning(identity)), giveUp)
}

async function becomesTrueWithin(
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

/** Remembers every process ever seen with the marker, including those that can no longer be found by it. */
function watchRun(table: ProcessTable, marker: string, first?: ProcessIdentity): Run {
  const known = new Map<string, ProcessIdentity>()
  const look = async () => {
    for (const found of await table.findMarked(marker, first)) known.set(`${found.pid} ${found.startTime}`, found)
  }
  return { known, look }
}

async function hasRunEnded(run: Run, table: ProcessTable): Promise<boolean> {
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

/** Processes may fork while we kill them and take a moment to end. What survives this many rounds cannot be killed. */
const maxRounds = 40
const roundPauseMs = 25

/** One listing can miss a process that forked after the listing began and whose parent ended before it was read. */
const cleanLooksNeeded = 2

/**
 * Signals the process group, or the process alone if it leads none. SIGTERM goes to only one of the two: agents treat a
 * second SIGTERM as "exit immediately".
 */
function signalGroup({ pid }: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL') {
  const hasGroup = signal(-pid, name)
  if (!hasGroup || name === 'SIGKILL') signal(pid, name)
}

/** Call it only for a process just seen running: a pid alone may belong to another process by now. */
function signal(target: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  // 0 means our own group, -1 every process, and 1 is init.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1 || Math.abs(target) === process.pid) {
    throw new Error(`Refusing to send ${name} to ${target}.`)
  }
  try {
    return process.kill(target, name)
  } catch (error) {
    // The process has ended, or we may not signal it (macOS reports that for zombies too).
    if (['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) return false
    throw error
  }
}
