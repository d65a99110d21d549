import { stat } from 'node:fs/promises'
import { errnoOf } from './errno.ts'

/** A program could not be started. The message is a sentence for people and never quotes the arguments. */
export class SpawnFailed extends Error {
  override readonly name = 'SpawnFailed'
  readonly command: string
  /** The code of the failed system call, such as `ENOENT`. */
  readonly code: string | undefined

  constructor(attempt: { command: string; reason: string; cause: unknown }) {
    super(`Cannot start ${attempt.command}: ${attempt.reason}.`, { cause: attempt.cause })
    this.command = attempt.command
    this.code = errnoOf(attempt.cause)
  }
}

export async function spawnFailure(attempt: { command: string; cwd?: string; cause: unknown }): Promise<SpawnFailed> {
  const { command, cwd, cause } = attempt
  // A missing program and a missing working folder give the same code.
  const reason =
    cwd !== undefined && !(await isFolder(cwd))
      ? `its working folder ${cwd} does not exist`
      : (reasons[errnoOf(cause) ?? ''] ?? (cause instanceof Error ? cause.message : String(cause)))
  return new SpawnFailed({ command, reason, cause })
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such program, or the interpreter it names is missing',
  EACCES: 'permission was denied to run it, or to enter its working folder or a folder on the PATH',
  E2BIG: 'its arguments and environment are longer than the system allows',
  EAGAIN: 'the system allows no more processes for this user',
  ENOMEM: 'the system has no memory left for it',
  EMFILE: 'we have too many files open',
  ENFILE: 'the system has too many files open',
  ERR_INVALID_ARG_VALUE: 'an argument, an environment variable or its working folder holds a NUL character',
}
