import { linger } from './confinement-script.ts'
import type { View } from './confinement-view.ts'

/**
 * The same view by bubblewrap, which many distributions allow to make user namespaces where others may not. It takes the
 * sources of its mounts from outside, so the order does not matter, and sets `no_new_privs` itself.
 */
export function bubblewrapArguments(options: { view: View; cwd: string; env: string; lingerMs: number }): string[] {
  const { view, cwd, env, lingerMs } = options
  return [
    ...(view.isReadOnly ? ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev'] : ['--dev-bind', '/', '/']),
    ...['--proc', '/proc'],
    ...['--unshare-user', '--unshare-pid', '--die-with-parent'],
    ...view.covers.flatMap(({ path, isWritable }) => [...(isWritable ? ['--perms', '1777'] : []), '--tmpfs', path]),
    ...view.shown.flatMap(({ path, isWritable }) => [isWritable ? '--bind' : '--ro-bind', path, path]),
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
