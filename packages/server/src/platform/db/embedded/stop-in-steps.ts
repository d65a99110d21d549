import { setTimeout as sleep } from 'node:timers/promises'

/**
 * PostgreSQL's own three degrees. SIGINT ends connections and writes everything down; SIGQUIT ends at once and leaves
 * the rest to recovery at the next start; SIGKILL is for a server that hears neither. Acknowledged rows survive all
 * three. Together they fit into the time that a drain of the whole program has.
 */
const degrees = [
  { signal: 'SIGINT', waitMs: 8_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 3_000 },
] as const

export type Stoppable = { pid: number; isGone(): boolean | Promise<boolean> }

/** The signal that worked; undefined when the process is there even after SIGKILL, or was gone to begin with. */
export async function stopInSteps(target: Stoppable): Promise<NodeJS.Signals | undefined> {
  if (await target.isGone()) return undefined
  for (const { signal, waitMs } of degrees) {
    send(target.pid, signal)
    if (await isGoneWithin(target, waitMs)) return signal
  }
  return undefined
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It may end between the question and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function isGoneWithin(target: Stoppable, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    if (await target.isGone()) return true
    await sleep(10)
  }
  return target.isGone()
}
