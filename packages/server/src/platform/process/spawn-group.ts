import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { ProcessIdentity, ProcessTable } from './process-identity.ts'
import { spawnFailure } from './spawn-failed.ts'

export type ExitStatus = { code: number | null; signal: NodeJS.Signals | null }

export type StartedGroup = {
  pid: number
  stdin: Writable | undefined
  stdout: Readable
  stderr: Readable
  /** Settles when the process itself ends; others may still hold its pipes. Never rejects. */
  exit: Promise<ExitStatus>
  /**
   * While this is true the system keeps the pid for us, be the process alive or a zombie. Afterwards it may be
   * anybody's.
   */
  ownsPid(): boolean
}

/**
 * Starts a program as the leader of its own session and process group, out of reach of the signals meant for us.
 * Listen to the pipes in the same turn of the event loop: what nobody listens to is thrown away when the child ends.
 */
export async function spawnGroup(options: {
  command: string
  args: readonly string[]
  cwd?: string
  env: Record<string, string>
  stdin: 'pipe' | 'none'
}): Promise<StartedGroup> {
  const { command, args, cwd, env } = options
  let child: ChildProcess
  try {
    const stdin = options.stdin === 'pipe' ? 'pipe' : 'ignore'
    child = spawn(command, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
  } catch (error) {
    throw await spawnFailure({ command, cwd, cause: error })
  }
  // Both listeners before the first await: the system's other way to refuse is an event in this very turn.
  const refusal = new Promise<unknown>((resolve) => child.once('error', resolve))
  const exit = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  // A pid is given only once the program itself has been loaded.
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined || !stdout || !stderr) throw await spawnFailure({ command, cwd, cause: await refusal })
  // A child that ends before it read everything breaks the pipe. That is told by its exit, and to the callback of
  // each write; without a listener it would end us as well.
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
