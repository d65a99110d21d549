import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { childOutput } from './child-output.ts'
import { type Line, readLines } from './line-stream.ts'
import { outputTail } from './output-tail.ts'
import { type ProcessIdentity, processTable } from './process-table.ts'
import type { SpawnedProgram } from './program.ts'
import { markerEntry, runMarkerVariable } from './run-marker.ts'
import { type ExitStatus, identifyStarted, type StartedGroup, spawnGroup } from './spawn-group.ts'
import { type StopReport, type StopRequest, stopTree } from './stop.ts'

/** A long-running child. The caller reads `lines` to the end or calls `stop`; either frees the pipes. */
export type Child = {
  identity: ProcessIdentity
  marker: string
  stdin: Writable | undefined
  /** Standard output. Backpressure applies while the caller does not read. Leaving the loop early closes the pipe. */
  lines: AsyncGenerator<Line>
  /** The last 8 KiB of standard error, complete once `exited` has settled. */
  stderrTail(): string
  /** Never rejects, and does not wait for `lines` to be read. */
  exited: Promise<ExitStatus>
  stop(request: StopRequest): Promise<StopReport>
}

/** Starts a program for a run, in its own process group and under the run's marker. Rejects with `SpawnFailed`. */
export async function launch(
  options: SpawnedProgram & {
    marker: string
    maxLineBytes?: number
    /** Default `pipe`. */
    stdin?: 'pipe' | 'none'
  },
): Promise<Child> {
  const { command, args, cwd, user, marker, maxLineBytes = defaultMaxLineBytes, stdin = 'pipe' } = options
  markerEntry(marker)
  const env = { ...options.env, [runMarkerVariable]: marker }
  const started = await spawnGroup({ command, args, cwd, env, user, stdin })
  const output = childOutput(started.stdout, started.exit)
  const errors = outputTail(started.stderr, stderrTailBytes)
  let hasEndedWhole = false
  // A signal may end the program before the rest.
  void started.exit.then(({ code }) => {
    hasEndedWhole = options.endsWhole === true && code !== null
  })
  const identity = await identityFor(started)
  return {
    identity,
    marker,
    stdin: started.stdin,
    lines: readLines(output.chunks, { maxLineBytes }),
    stderrTail: errors.text,
    exited: started.exit.then(async (status) => {
      await errors.finish()
      if (options.endsWhole && status.code === 1 && errors.text().endsWith(unshareOfKilled)) return killed
      return options.hasShellStatus ? fromShellStatus(status) : status
    }),
    async stop(request) {
      const report = hasEndedWhole ? nothingLeft : await stopTree({ ...request, identity, marker })
      output.abandonUnread()
      return report
    },
  }
}

/** What unshare of util-linux 2.38 says when SIGKILL ended its child: it cannot end itself by that signal, and exits with code 1. */
const unshareOfKilled = 'unshare: sigprocmask unblock failed: Invalid argument\n'
const killed: ExitStatus = { code: null, signal: 'SIGKILL' }

const nothingLeft: StopReport = { endedBy: 'already_gone', swept: 0, survivors: [] }

/** A message with an image takes two or three megabytes. */
const defaultMaxLineBytes = 4 * 1024 * 1024

const stderrTailBytes = 8 * 1024

/** A shell reports a child that a signal ended by the code 128 plus the signal's number. */
function fromShellStatus(status: ExitStatus): ExitStatus {
  const number = (status.code ?? 0) - 128
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? []
  return name === undefined ? status : { code: null, signal: name as NodeJS.Signals }
}

async function identityFor(started: StartedGroup): Promise<ProcessIdentity> {
  try {
    const identity = await identifyStarted(started, processTable())
    // It ended before we could identify it. No process has this start time, so none is mistaken for it.
    return identity ?? { pid: started.pid, startTime: 'ended at once' }
  } catch (error) {
    // A child that we cannot identify could not be stopped later.
    if (started.ownsPid()) process.kill(-started.pid, 'SIGKILL')
    throw error
  }
}
