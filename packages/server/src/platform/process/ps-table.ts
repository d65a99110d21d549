import { execFile } from 'node:child_process'
import { childEnvironment } from './environment.ts'
import { markedFamily } from './marked-family.ts'
import type { MarkedProcess, ProcessIdentity, ProcessTable } from './process-identity.ts'
import { carriesMarker, markerEntry, runMarkerVariable, variableIn } from './run-marker.ts'

/**
 * The process table from `ps`, for systems without `/proc`. Start times are exact to the second only. macOS hides the
 * environment of the programs it ships; these are found only as descendants, while their parent lives.
 */
export function psTable(): ProcessTable {
  return {
    identify,
    isRunning: async (identity) => (await identify(identity.pid))?.startTime === identity.startTime,
    findMarked,
    listMarked,
  }
}

async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const [found] = parseListing(await ps(['-ww', ...columns, '-p', String(pid)]))
  return found?.identity
}

async function findMarked(marker: string): Promise<ProcessIdentity[]> {
  const entry = markerEntry(marker)
  const listed = parseListing(await ps([...ownWithEnvironment, ...columns]))
  const mentioning = listed.filter((one) => carriesMarker(one.command, entry, ' '))
  const carrying = await Promise.all(mentioning.map((one) => carries(one, entry)))
  const marked = new Set(mentioning.filter((_, index) => carrying[index]))
  return markedFamily(listed.map((one) => ({ ...one, isMarked: marked.has(one) })))
}

async function listMarked(): Promise<MarkedProcess[]> {
  const listed = parseListing(await ps([...ownWithEnvironment, ...columns]))
  const mentioning = listed.filter(({ command }) => variableIn(command, runMarkerVariable, ' ') !== undefined)
  const found = await Promise.all(
    mentioning.map(async ({ identity, command }): Promise<MarkedProcess[]> => {
      const [bare] = parseListing(await ps(['-ww', ...columns, '-p', String(identity.pid)]))
      if (bare?.identity.startTime !== identity.startTime || !command.startsWith(bare.command)) return []
      const environment = command.slice(bare.command.length).trim()
      const marker = variableIn(environment, runMarkerVariable, ' ')
      if (marker === undefined) return []
      return [{ identity, marker, home: variableIn(environment, 'HOME', ' ') ?? '', command: bare.command }]
    }),
  )
  return found.flat()
}

/** All processes of our user, with the environment after the command line. On macOS `e` has another meaning. */
const ownWithEnvironment = process.platform === 'darwin' ? ['-x', '-E', '-ww'] : ['xeww']

const columns = ['pid=', 'ppid=', 'stat=', 'lstart=', 'command='].flatMap((column) => ['-o', column])

/**
 * `ps` prints arguments and environment without a separator, and a process may have the marker only among its arguments
 * (`grep YARDMASTER_RUN=`).
 */
async function carries(one: PsLine, entry: string): Promise<boolean> {
  const [bare] = parseListing(await ps(['-ww', ...columns, '-p', String(one.identity.pid)]))
  return (
    bare?.identity.startTime === one.identity.startTime &&
    one.command.startsWith(bare.command) &&
    carriesMarker(one.command.slice(bare.command.length), entry, ' ')
  )
}

type PsLine = { identity: ProcessIdentity; parentPid: number; startedAt: number; command: string }

function parseListing(text: string): PsLine[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parentPid, state, started, command] = psLine.exec(line) ?? []
    if (pid === undefined || state === undefined || state.startsWith('Z')) return []
    const startedAt = Date.parse(`${started} UTC`)
    const identity = { pid: Number(pid), startTime: new Date(startedAt).toISOString() }
    return [{ identity, parentPid: Number(parentPid), startedAt, command: command ?? '' }]
  })
}

const psLine = /^ *(\d+) +(\d+) +(\S+) +(\w{3} +\w{3} +\d+ +\d\d:\d\d:\d\d +\d{4}) ?(.*)$/

/** `execFile` instead of `runCommand`, which itself needs a process table to stop its child. */
function ps(args: readonly string[]): Promise<string> {
  // Fixed language and time zone: the printed start time must stay the same across restarts and daylight saving.
  const env = childEnvironment({ set: { LC_ALL: 'C', TZ: 'UTC' } })
  return new Promise((resolve, reject) => {
    execFile('ps', args, { env, timeout: timeoutMs, maxBuffer: maxOutputBytes }, (error, stdout) => {
      // Exit code 1 means "no such process".
      if (!error || error.code === 1) resolve(stdout)
      else reject(error)
    })
  })
}

/** `ps` takes milliseconds; the limit is for an overloaded machine. */
const timeoutMs = 10_000

/** Room for the environments of all our processes, some kilobytes each. */
const maxOutputBytes = 64 * 1024 * 1024
