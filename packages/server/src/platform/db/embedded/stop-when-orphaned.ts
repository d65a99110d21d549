import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { type SystemUser, spawnIdentity } from '../../home/system-user.ts'
import { postmasterFile } from './postmaster-file.ts'
import { toolEnvironment } from './run-tool.ts'

/** A restarted Yardmaster stops the server of its predecessor itself, and sooner than this. */
export const orphanGraceSeconds = 60

/**
 * Waits until its standard input ends, which it does when Yardmaster is gone, however it ended. Then it gives a restart time
 * to take over, and stops the server. It ends at once when the server's own file no longer names that process.
 */
const script = `
  read -r line
  waited=0
  while read -r pid < "$2" && [ "$pid" = "$1" ]; do
    if [ "$waited" -ge "$3" ]; then kill -INT "$1"; exit; fi
    sleep 1
    waited=$((waited + 1))
  done
`

/**
 * Stops a postmaster whose Yardmaster was killed and never came back. Only another process can do that, and a shell is on every
 * machine. It runs as the server's user, who may send the signal. Returns a function that ends the watch.
 */
export function stopWhenOrphaned(
  server: { pid: number; data: string; runAs: SystemUser | undefined },
  graceSeconds: number,
): () => void {
  const file = postmasterFile(server.data)
  const watch = spawn('/bin/sh', ['-c', script, 'yardmaster-watch', String(server.pid), file, String(graceSeconds)], {
    ...spawnIdentity(server.runAs),
    cwd: '/',
    env: toolEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session: what ends the group of Yardmaster must not end the watch.
    detached: true,
  })
  // Without a shell there is no watch, as without this function.
  watch.on('error', () => undefined)
  watch.stdin?.on('error', () => undefined)
  // Neither the process nor its pipe keeps ours running.
  watch.unref()
  if (watch.stdin instanceof Socket) watch.stdin.unref()
  return () => void watch.kill('SIGKILL')
}
