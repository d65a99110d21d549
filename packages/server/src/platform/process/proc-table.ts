import { readdir, readFile, stat } from 'node:fs/promises'
import { errnoOf } from './errno.ts'
import { type ListedProcess, markedFamily } from './marked-family.ts'
import type { ProcessIdentity, ProcessTable } from './process-identity.ts'
import { markerEntry } from './run-marker.ts'

/** The process table of Linux, read from `/proc`. */
export function procTable(): ProcessTable {
  return {
    identify,
    isRunning: async (identity) => (await identify(identity.pid))?.startTime === identity.startTime,
    findMarked,
  }
}

async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const found = await readStat(String(pid))
  return found && identityOf(found, await readBootId())
}

async function findMarked(marker: string): Promise<ProcessIdentity[]> {
  const entry = markerEntry(marker)
  const bootId = await readBootId()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const listed: ListedProcess[] = []
  const listNext = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const one = await listOwn(pid, entry, bootId)
      if (one) listed.push(one)
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, listNext))
  return markedFamily(listed)
}

/** As many as libuv has threads. Starting every read at once would hold a file open for each process there is. */
const readersAtOnce = 4

/**
 * The start time is read before the environment. Should the pid change hands in between, the identity is that of
 * the process that ended, and nobody who still runs is taken for it.
 */
async function listOwn(pid: string, entry: string, bootId: string): Promise<ListedProcess | undefined> {
  const folder = await unlessGone(stat(`/proc/${pid}`))
  if (folder?.uid !== process.geteuid?.()) return undefined
  const found = await readStat(pid)
  if (!found) return undefined
  const environ = await unlessGone(readFile(`/proc/${pid}/environ`, 'latin1'))
  return {
    identity: identityOf(found, bootId),
    parentPid: found.parentPid,
    startedAt: found.startTicks,
    isMarked: environ !== undefined && `\0${environ}\0`.includes(`\0${entry}\0`),
  }
}

type Stat = { pid: number; parentPid: number; startTicks: number }

async function readStat(pid: string): Promise<Stat | undefined> {
  const text = await unlessGone(readFile(`/proc/${pid}/stat`, 'latin1'))
  return text === undefined ? undefined : parseStat(text)
}

/** Undefined for a zombie. The program's name stands in parentheses and may itself hold blanks and parentheses. */
export function parseStat(text: string): Stat | undefined {
  const afterName = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // proc(5) counts from 1 and the name is field 2, so field 3, the state, is the first one here.
  const field = (number: number) => afterName[number - 3]
  const state = field(3)
  if (state === 'Z' || state === 'X') return undefined
  const [pid, parentPid, startTicks] = [Number.parseInt(text, 10), Number(field(4)), Number(field(22))]
  if (!(pid > 0 && parentPid >= 0 && startTicks >= 0)) throw new Error(`Cannot read this line of /proc: ${text}`)
  return { pid, parentPid, startTicks }
}

/** Ticks count from boot, so the same pid and tick may come again after a reboot; the boot id does not. */
function identityOf(found: Stat, bootId: string): ProcessIdentity {
  return { pid: found.pid, startTime: `${bootId}:${found.startTicks}` }
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim()
}

/** A process may end while it is read, or be closed to us though it runs as our user (a setuid program). */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}
