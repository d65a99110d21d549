import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { errnoOf } from '../process/errno.ts'
import { StartupError } from '../startup-error.ts'

const run = promisify(execFile)

export type UnprivilegedUser = { name: string; uid: number; gid: number }

/**
 * The user for programs that refuse to run as root, such as PostgreSQL: `nobody` when we are root, otherwise undefined,
 * meaning our own user.
 */
export async function unprivilegedUser(): Promise<UnprivilegedUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  try {
    const [uid, gid] = await Promise.all([id('-u'), id('-g')])
    return { name: 'nobody', uid, gid }
  } catch (error) {
    throw new StartupError(
      `Yardmaster runs as root and needs the unprivileged user "nobody", which this machine does not have: ${error instanceof Error ? error.message.trim() : error}`,
    )
  }
}

/** Ids for child_process, which takes signed 32-bit numbers. `nobody` on macOS is 4294967294. */
export function spawnIdentity(user: UnprivilegedUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid | 0, gid: user.gid | 0 }
}

/** Tries it instead of reading the permission bits, which do not show access lists and mounts. */
export async function canEnter(user: UnprivilegedUser, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { cwd: '/', ...spawnIdentity(user) })
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') return false
    // A container can deny root even this.
    throw new StartupError(
      `Yardmaster runs as root but may not start a process as the user ${user.name}, which the embedded PostgreSQL needs. Run it as an ordinary user, or set DATABASE_URL.`,
    )
  }
}

async function id(which: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [which, 'nobody'])
  const value = Number.parseInt(stdout, 10)
  if (!Number.isInteger(value)) throw new Error(`"id ${which}" answered "${stdout.trim()}"`)
  return value >>> 0
}
