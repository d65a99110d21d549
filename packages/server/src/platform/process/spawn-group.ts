import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { stdioOf } from './inherited-files.ts'
import type { ProcessIdentity, ProcessTable } from './process-identity.ts'
import { spawnFailure } from './spawn-failed.ts'

export type ExitStatus = { code: number | null; signal: NodeJS.Signals | null }

export type StartedGroup = {
  pid: number
  stdin: Writable | undefined
  stdout: Readable
  stderr: Readable
  /** Settles when the process itself ends, while others may still hold its pipes. Never rejects. */
  exit: Promise<ExitStatus>
  /** While true, the process is alive or a zombie and the system keeps its pid. Afterwards the pid may be reused. */
  ownsPid(): boolean
}

/**
 * Starts a program as the leader of its own session and process group, so that signals to our group do not reach it.
 * Attach listeners to the pipes in the same iteration of the event loop: Node discards output without a listener when
 * the child ends.
 */
export async function spawnGroup(options: {
  command: string
  args: readonly string[]
  cwd?: string
  env: Record<string, string>
  user?: { uid: number; gid: number }
  stdin: 'pipe' | 'none'
}): Promise<StartedGroup> {
  const { command, args, cwd, env, user } = options
  let child: ChildProcess
  try {
    const stdin = options.stdin === 'pipe' ? 'pipe' : 'ignore'
    child = spawn(command, args, { cwd, env, ...user, detached: true, stdio: stdioOf([stdin, 'pipe', 'pipe']) })
  } catch (error) {
    throw await spawnFailure({ command, cwd, cause: error })
  }
  // Attach both listeners before the first await: the spawn error is emitted in this same iteration.
  const refusal = new Promise<unknown>((resolve) => child.once('error', resolve))
  const exit = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  // There is a pid only if the program was loaded.
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined || !stdout || !stderr) throw await spawnFailure({ command, cwd, cause: await refusal })
  // A child that exits before it has read its input breaks the pipe. Its exit status and the callback of each write
  // report that. Without a listener the error would crash this process.
  stdin?.on('error', () => {})
  return {
    pid,
    stdin: stdin ?? undefined,
    stdout,
    stderr,
    exit,
    ownsPid: () => child.exitCode === null && child.signalCode === null,
  }
}

/** The identity of the process just started; undefined if it has already ended. */
export async function identifyStarted(
  started: StartedGroup,
  table: ProcessTable,
): Promise<ProcessIdentity | undefined> {
  const identity = await table.identify(started.pid)
  return started.ownsPid() ? identity : undefined
}
