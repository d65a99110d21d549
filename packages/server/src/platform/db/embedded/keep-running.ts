import { setTimeout as sleep } from 'node:timers/promises'
import type { FailedStart, Postmaster } from './postmaster.ts'
import { lastLines } from './start-failure.ts'

export type SupervisorLog = { info(line: string): void; warn(line: string): void }

export type Supervisor = { pid(): number | undefined; stop(): Promise<void> }

/** Delays between attempts, from the second on. An operator often fixes a full disk or a wrong permission meanwhile. */
const delaysMs = { first: 100, longest: 5_000 }

/** After this uptime the delay is reset. */
const stableAfterMs = 30_000

/** Restarts the server whenever it ends, without a limit, until `stop`. */
export function keepRunning(options: {
  first: Postmaster
  start(signal: AbortSignal): Promise<Postmaster | FailedStart>
  log: SupervisorLog
}): Supervisor {
  const { log } = options
  const stopping = new AbortController()
  const stopRequested = new Promise<'stop'>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve('stop')),
  )
  let current: Postmaster | undefined = options.first
  let delayMs = 0
  const supervision = supervise(options.first)
  return {
    pid: () => current?.pid,
    stop: () => {
      stopping.abort()
      return supervision
    },
  }

  async function supervise(first: Postmaster): Promise<void> {
    let postmaster: Postmaster | undefined = first
    while (postmaster !== undefined) {
      const startedAt = performance.now()
      const end = await Promise.race([postmaster.ended, stopRequested])
      if (end === 'stop') {
        const signal = await postmaster.stop()
        log.info(`PostgreSQL stopped (${signal ?? 'it had ended already'})`)
        current = undefined
        return
      }
      current = undefined
      log.warn(`PostgreSQL (process ${postmaster.pid}) ended: ${end}; restarting it`)
      if (performance.now() - startedAt > stableAfterMs) delayMs = 0
      postmaster = current = await restart()
    }
  }

  /** Undefined if `stop` was called meanwhile. */
  async function restart(): Promise<Postmaster | undefined> {
    const endedAt = performance.now()
    while (!stopping.signal.aborted) {
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      delayMs = Math.min(Math.max(delayMs * 2, delaysMs.first), delaysMs.longest)
      const outcome = await attempt()
      if ('pid' in outcome) {
        log.info(`PostgreSQL is back after ${Math.round(performance.now() - endedAt)} ms (process ${outcome.pid})`)
        return outcome
      }
      if (!stopping.signal.aborted)
        log.warn(
          `PostgreSQL did not start: ${outcome.failure}; retrying in ${delayMs} ms\n${lastLines(outcome.output, 2)}`.trim(),
        )
    }
    return undefined
  }

  /** An error of ours, such as too many open files, must not end the supervision. */
  async function attempt(): Promise<Postmaster | FailedStart> {
    try {
      return await options.start(stopping.signal)
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error), output: '' }
    }
  }
}
