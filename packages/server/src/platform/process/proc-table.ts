import { readFileSync, statSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { errnoOf } from './errno.ts'
import { type ListedProcess, markedFamily } from './marked-family.ts'
import type { MarkedProcess, ProcessIdentity, ProcessTable } from './process-identity.ts'
import { carriesMarker, markerEntry, runMarkerVariable, variableIn } from './run-marker.ts'

/** The process table of Linux, read from `/proc`. */
export function procTable(): ProcessTable {
  return {
    identify,
    isRunning: async (identity) => (await identify(identity.pid))?.startTime === identity.startTime,
    findMarked,
    listMarked,
  }
}

async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const found = readStat(String(pid))
  return found && identityOf(found, readBootId())
}

async function findMarked(marker: string, first?: ProcessIdentity): Promise<ProcessIdentity[]> {
  const entry = markerEntry(marker)
  const bootId = readBootId()
  const sinceTicks = first ? startTicksOf(first, bootId) : 0
  return markedFamily(await listEach((pid) => listOwn(pid, { entry, bootId, sinceTicks })))
}

async function listMarked(): Promise<MarkedProcess[]> {
  const bootId = readBootId()
  return listEach(async (pid) => {
    const found = readStat(pid)
    if (!found?.hasMemory || !isWithinReach(pid)) return undefined
    const environ = (await readEnvironment(pid)) ?? ''
    const marker = variableIn(environ, runMarkerVariable, '\0')
    if (marker === undefined) return undefined
    const command = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? ''
    const home = variableIn(environ, 'HOME', '\0') ?? ''
    return { identity: identityOf(found, bootId), marker, home, command: command.replaceAll('\0', ' ').trim() }
  })
}

/** What `list` returns for each process of the machine. */
async function listEach<T>(list: (pid: string) => Promise<T | undefined>): Promise<T[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const listed: T[] = []
  const listNext = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const one = await list(pid)
      if (one !== undefined) listed.push(one)
      if (pids.length % readsInARow === 0) await yieldToEventLoop()
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, listNext))
  return listed
}

/** As many as libuv has threads. Starting every read at once would open a file for each process on the machine. */
const readersAtOnce = 4

/** About one millisecond of reads before yielding to the event loop. */
const readsInARow = 64

/**
 * Reads the start time before the environment. If the pid is reused in between, the identity is that of the ended
 * process and matches no running one.
 *
 * The kernel answers owner and stat from its own tables in microseconds, so these reads are synchronous: through the
 * thread pool each costs ten times as much, for every process of the machine, several times a turn. The environment
 * comes from the memory of the process, and the kernel may have to wait for it.
 */
async function listOwn(
  pid: string,
  { entry, bootId, sinceTicks }: { entry: string; bootId: string; sinceTicks: number },
): Promise<ListedProcess | undefined> {
  const found = readStat(pid)
  if (!found || found.startTicks < sinceTicks || !isWithinReach(pid)) return undefined
  const environ = found.hasMemory ? await readEnvironment(pid) : undefined
  return {
    identity: identityOf(found, bootId),
    parentPid: found.parentPid,
    startedAt: found.startTicks,
    isMarked: environ !== undefined && carriesMarker(environ, entry, '\0'),
  }
}

/** Root starts processes as other users, and may read and end those of all. */
function isWithinReach(pid: string): boolean {
  const ownUser = process.geteuid?.()
  return ownUser === 0 || unlessGone(() => statSync(`/proc/${pid}`).uid) === ownUser
}

type Stat = { pid: number; parentPid: number; startTicks: number; hasMemory: boolean }

function readStat(pid: string): Stat | undefined {
  const text = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return text === undefined ? undefined : parseStat(text)
}

/** Undefined for a zombie. The program's name is in parentheses and may itself contain blanks and parentheses. */
export function parseStat(text: string): Stat | undefined {
  const afterName = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // proc(5) counts fields from 1 and the name is field 2, so index 0 here is field 3, the state.
  const field = (number: number) => afterName[number - 3]
  const state = field(3)
  if (state === 'Z' || state === 'X') return undefined
  const [pid, parentPid, startTicks] = [Number.parseInt(text, 10), Number(field(4)), Number(field(22))]
  if (!(pid > 0 && parentPid >= 0 && startTicks >= 0)) throw new Error(`Cannot read this line of /proc: ${text}`)
  // Kernel threads have no memory and therefore no environment to read.
  const hasMemory = field(23) !== '0'
  return { pid, parentPid, startTicks, hasMemory }
}

/** Ticks count from boot, so pid and tick can repeat after a reboot. The boot id does not. */
function identityOf(found: Stat, bootId: string): ProcessIdentity {
  return { pid: found.pid, startTime: `${bootId}:${found.startTicks}` }
}

/** 0 for a process from another boot, or one that ended before it could be identified. */
function startTicksOf({ startTime }: ProcessIdentity, bootId: string): number {
  const [boot, ticks] = startTime.split(':')
  return boot === bootId ? Number(ticks) : 0
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
}

/** `readFile` would need extra system calls for the size and the end of the file. */
async function readEnvironment(pid: string): Promise<string | undefined> {
  try {
    const file = await open(`/proc/${pid}/environ`)
    try {
      const chunks: Buffer[] = []
      for (;;) {
        const chunk = Buffer.allocUnsafe(environmentChunkBytes)
        const { bytesRead } = await file.read(chunk)
        chunks.push(chunk.subarray(0, bytesRead))
        // The kernel fills the buffer unless the content ends.
        if (bytesRead < chunk.length) return Buffer.concat(chunks).toString('latin1')
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    return absentIfGone(error)
  }
}

/** Holds most environments in one read. */
const environmentChunkBytes = 32 * 1024

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return absentIfGone(error)
  }
}

/** A process may end while it is read. A setuid program of our user is not readable. */
function absentIfGone(error: unknown): undefined {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined
  throw error
}
