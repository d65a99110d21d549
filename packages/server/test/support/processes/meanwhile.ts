import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * Runs a shell script beside the test, from its first line of output on. `stop` ends the shell and the commands it started, and
 * waits for all of them: a command that outlives its shell would still write into the folder that the test removes.
 */
export async function meanwhile(script: string, options: { cwd?: string } = {}): Promise<{ stop(): Promise<void> }> {
  const child = spawn('sh', ['-c', `echo up; ${script}`], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // The pipe closes when the last process that has it ends.
  const closed = once(child, 'close')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
    await closed
  }
  onTestFinished(stop)
  await once(child.stdout, 'data')
  return { stop }
}
