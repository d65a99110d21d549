import { linger } from './confinement-script.ts'
import type { View } from './confinement-view.ts'

/**
 * The same view by bubblewrap, which many distributions allow to make user namespaces where others may not. It takes the
 * sources of its mounts from outside, so only the order of the targets matters, and sets `no_new_privs` itself.
 */
export function bubblewrapArguments(options: { view: View; cwd: string; env: string; lingerMs: number }): string[] {
  const { view, cwd, env, lingerMs } = options
  // A path inside another one is longer and comes later. What is shown at the path of a cover comes after it.
  const mounts = [
    ...view.covers.map(({ path, isWritable }) => ({
      path,
      words: [...(isWritable ? ['--perms', '1777'] : []), '--tmpfs', path],
    })),
    ...view.shown.map(({ path, isWritable }) => ({ path, words: [isWritable ? '--bind' : '--ro-bind', path, path] })),
  ].sort((one, other) => one.path.length - other.path.length)
  return [
    ...(view.isReadOnly ? ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev'] : ['--dev-bind', '/', '/']),
    ...['--proc', '/proc'],
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    ...mounts.flatMap(({ words }) => words),
    ...view.covers.flatMap(({ path, isWritable }) => (isWritable ? [] : ['--remount-ro', path])),
    ...view.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...['--chdir', cwd],
    '--',
    // SIGTERM to the group must not end bubblewrap before the program; the program gets the usual action back.
    ...[env, '--default-signal=TERM'],
    ...(lingerMs > 0
      ? ['/bin/sh', '-c', ['"$@"', 'status=$?', ...linger({ lingerMs, others: 2 })].join('\n'), 'sh']
      : []),
  ]
}

/** Starts bubblewrap deaf to SIGTERM. */
export const deafToSigterm = ['/bin/sh', '-c', 'trap "" TERM; exec "$@"', 'sh']
