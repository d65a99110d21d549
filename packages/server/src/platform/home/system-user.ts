import { execFile } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { errnoOf } from '../process/errno.ts'
import { StartupError } from '../startup-error.ts'

const run = promisify(execFile)

/** A user that some of our processes run as when we are root. */
export type SystemUser = { name: string; uid: number; gid: number; home?: string }

/** Both users of ours are in this group, which may pass through the home. */
const groupName = 'yardmaster'

const ownUsers = { postgres: 'yardmaster-postgres', agents: 'yardmaster-agent' } as const

/**
 * The user for one kind of our processes if we are root, otherwise undefined: our own user. Made once per machine. Elsewhere
 * than on Linux it is `nobody`: there is no common way to make a user.
 */
export async function systemUser(
  purpose: keyof typeof ownUsers,
  options: { onMade?: (sentence: string) => void } = {},
): Promise<SystemUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const name = process.platform === 'linux' ? ownUsers[purpose] : 'nobody'
  const found = await findUser(name)
  if (found !== undefined) return found
  const failures = await makeUser(name)
  const made = await findUser(name)
  if (made === undefined) {
    throw new StartupError(
      `Yardmaster runs as root and needs the system user "${name}", which could not be made: ${failures.join('; ')}. Make it by hand, or run Yardmaster as an ordinary user.`,
    )
  }
  options.onMade?.(`made the system user ${name} (${made.uid}) for ${purposes[purpose]}`)
  return made
}

const purposes = { postgres: 'the embedded PostgreSQL', agents: 'agents' } as const

/** By name only: `id` also takes a number, and options. */
export async function findUser(name: string): Promise<SystemUser | undefined> {
  if (!/^[a-z_][\w.-]*\$?$/i.test(name)) return undefined
  try {
    const [uid, gid] = await Promise.all([id('-u', name), id('-g', name)])
    const users = await readFile('/etc/passwd', 'utf8').catch(() => '')
    const [, , , , , home] =
      users
        .split('\n')
        .find((row) => row.startsWith(`${name}:`))
        ?.split(':') ?? []
    return { name, uid, gid, ...(home && { home }) }
  } catch {
    return undefined
  }
}

/** Ids for child_process, which takes signed 32-bit numbers. `nobody` on macOS is 4294967294. */
export function spawnIdentity(user: SystemUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid | 0, gid: user.gid | 0 }
}

/** Tries it instead of reading the permission bits, which do not show access lists and mounts. */
export async function canEnter(user: SystemUser, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { cwd: '/', ...spawnIdentity(user) })
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') return false
    // A container can deny root even this.
    throw new StartupError(
      `Yardmaster runs as root but may not start a process as the user ${user.name}. Run it as an ordinary user.`,
    )
  }
}

/**
 * Tries the tools of most distributions, then those of Alpine, then the files themselves, for images without any. Another
 * Yardmaster may make the same user at the same time: the caller looks it up afterwards, and only that counts.
 */
async function makeUser(name: string): Promise<string[]> {
  const failures: string[] = []
  const attempts = [
    async () => {
      await run('groupadd', ['--system', '--force', groupName])
      const place = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
      await run('useradd', ['--system', '--gid', groupName, ...place, name])
    },
    async () => {
      await run('addgroup', ['-S', groupName]).catch(() => undefined)
      await run('adduser', ['-S', '-D', '-H', '-h', '/nonexistent', '-s', '/sbin/nologin', '-G', groupName, name])
    },
    () => appendUser(name),
  ]
  for (const attempt of attempts) {
    try {
      await attempt()
      return failures
    } catch (error) {
      if ((await findUser(name)) !== undefined) return failures
      failures.push(error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error))
    }
  }
  return failures
}

/** A single appended line at the end of each file: readers see the old file or the new one. */
async function appendUser(name: string): Promise<void> {
  const [users, groups] = await Promise.all([readFile('/etc/passwd', 'utf8'), readFile('/etc/group', 'utf8')])
  const known = idsIn(groups).get(groupName)
  const gid = known ?? freeId(groups)
  if (known === undefined) await appendFile('/etc/group', line(groups, `${groupName}:x:${gid}:`))
  await appendFile('/etc/passwd', line(users, `${name}:x:${freeId(users)}:${gid}::/nonexistent:/sbin/nologin`))
}

function line(before: string, entry: string): string {
  return `${before === '' || before.endsWith('\n') ? '' : '\n'}${entry}\n`
}

/** The range of system users, from the top, as useradd does. */
function freeId(text: string): number {
  const taken = new Set(idsIn(text).values())
  for (let candidate = 999; candidate > 100; candidate -= 1) if (!taken.has(candidate)) return candidate
  throw new Error('no id of a system user is free')
}

function idsIn(text: string): Map<string, number> {
  const rows = text.split('\n').map((row) => row.split(':'))
  return new Map(rows.flatMap(([name, , number]) => (name && number ? [[name, Number(number)] as const] : [])))
}

/** The primary group of a user by number. A number without a user has no groups; it gets that of `nobody`. */
export async function userIdentity(uid: number): Promise<{ gid: number; hasGroups: boolean }> {
  return id('-g', String(uid)).then(
    (gid) => ({ gid, hasGroups: true }),
    () => ({ gid: 65_534, hasGroups: false }),
  )
}

async function id(which: '-u' | '-g', name: string): Promise<number> {
  const { stdout } = await run('id', [which, name])
  const value = Number.parseInt(stdout, 10)
  if (!Number.isInteger(value)) throw new Error(`"id ${which}" answered "${stdout.trim()}"`)
  return value >>> 0
}
