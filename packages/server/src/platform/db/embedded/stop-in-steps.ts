import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The three shutdown modes of PostgreSQL. SIGINT closes connections and writes everything to disk. SIGQUIT exits at
 * once and leaves the rest to recovery at the next start. SIGKILL is for a server that reacts to neither. Acknowledged
 * rows survive all three. The sum of the limits fits into the drain of the whole program.
 */
const steps = [
  { signal: 'SIGINT', waitMs: 8_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 3_000 },
] as const

export type Stoppable = { pid: number; isGone(): boolean | Promise<boolean> }

/** The signal that ended the process. Undefined when it survived SIGKILL or had ended before. */
export async function stopInSteps(target: Stoppable): Promise<NodeJS.Signals | undefined> {
  if (await target.isGone()) return undefined
  for (const { signal, waitMs } of steps) {
    send(target.pid, signal)
    if (await isGoneWithin(target, waitMs)) return signal
  }
  return undefined
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It may end between the check and the signal.
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
