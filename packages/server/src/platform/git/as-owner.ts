import { stat } from 'node:fs/promises'
import { userIdentity } from '../home/system-user.ts'
import { findProgram } from '../process/find-program.ts'
import { shellQuote } from '../process/shell-quote.ts'
import type { RepositoryAddress } from './repository-address.ts'

/**
 * The options of `fetch` and `clone` for a repository on this machine, if we are root and it belongs to another user. Root must
 * not read it: its configuration is that user's, and git refuses it. So the side of git that reads it runs as its owner, and nothing
 * that is in it runs as root.
 */
export async function asOwner({ transport, url }: RepositoryAddress): Promise<readonly string[]> {
  if (transport !== 'local' || process.geteuid?.() !== 0) return []
  const { uid = 0 } = (await stat(url).catch(() => undefined)) ?? {}
  const path = process.env.PATH ?? ''
  const setpriv = uid === 0 ? undefined : await findProgram({ command: 'setpriv', path })
  if (setpriv === undefined) return []
  const { gid, hasGroups } = await userIdentity(uid)
  const upload = [
    ...['env', '-i', ...environment(path)],
    ...[setpriv, `--reuid=${uid}`, `--regid=${gid}`, hasGroups ? '--init-groups' : '--clear-groups'],
    ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'],
    ...['git', 'upload-pack'],
  ]
  return [`--upload-pack=${['sh', '-c', enter(uid, upload), 'sh'].map(shellQuote).join(' ')}`]
}

/**
 * Enters the folder as root, because the way to it may be closed to its owner, and looks there again whose it is: it may have been
 * exchanged. `.git` can also be a file that names the folder.
 */
function enter(uid: number, upload: readonly string[]): string {
  return [
    'if [ -d "$1" ]; then',
    '  cd -- "$1" || exit',
    `  if [ "$(stat -c %u .)" != ${uid} ]; then echo "fatal: detected dubious ownership: it was exchanged" >&2; exit 1; fi`,
    '  set -- .',
    'fi',
    `exec ${upload.map(shellQuote).join(' ')} "$1"`,
  ].join('\n')
}

/** Nothing of ours: a user can read the environment of its processes. */
function environment(path: string): string[] {
  return [
    `PATH=${path}`,
    'LC_ALL=C',
    'HOME=/dev/null',
    'GIT_CONFIG_NOSYSTEM=1',
    'GIT_CONFIG_GLOBAL=/dev/null',
    // Objects that are missing in a partial clone are not fetched.
    'GIT_NO_LAZY_FETCH=1',
    'GIT_ALLOW_PROTOCOL=none',
  ]
}
