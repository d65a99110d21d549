import { setTimeout as sleep } from 'node:timers/promises'
import type { FailedStart, Postmaster } from './postmaster.ts'
import { lastLines } from './start-failure.ts'

export type SupervisorLog = { info(line: string): void; warn(line: string): void }

export type Keeper = { pid(): number | undefined; stop(): Promise<void> }

/** From the second attempt on; a full disk or a wrong permission is often mended by someone while we wait. */
const delaysMs = { first: 100, longest: 5_000 }

/** A server that lived this long was well: its next death is a new story with short delays. */
const wellAfterMs = 30_000

/** Starts the server again whenever it ends, for as long as it takes, until `stop`. */
export function keepRunning(options: {
  first: Postmaster
  start(signal: AbortSignal): Promise<Postmaster | FailedStart>
  log: SupervisorLog
}): Keeper {
  const { log } = options
  const stopping = new AbortController()
  const told = new Promise<'told'>((resolve) => stopping.signal.addEventListener('abort', () => resolve('told')))
  let current: Postmaster | undefined = options.first
  let delayMs = 0
  const life = live(options.first)
  return {
    pid: () => current?.pid,
    stop: () => {
      stopping.abort()
      return life
    },
  }

  async function live(first: Postmaster): Promise<void> {
    let postmaster: Postmaster | undefined = first
    while (postmaster !== undefined) {
      const startedAt = performance.now()
      const end = await Promise.race([postmaster.ended, told])
      if (end === 'told') {
        const signal = await postmaster.stop()
        log.info(`PostgreSQL stopped (${signal ?? 'it had ended already'})`)
        current = undefined
        return
      }
      current = undefined
      log.warn(`PostgreSQL (process ${postmaster.pid}) is gone: ${end}; starting it again`)
      if (performance.now() - startedAt > wellAfterMs) delayMs = 0
      postmaster = current = await bringBack()
    }
  }

  /** Undefined when told to stop meanwhile. */
  async function bringBack(): Promise<Postmaster | undefined> {
    const goneAt = performance.now()
    while (!stopping.signal.aborted) {
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      delayMs = Math.min(Math.max(delayMs * 2, delaysMs.first), delaysMs.longest)
      const outcome = await attempt()
      if ('pid' in outcome) {
        log.info(`PostgreSQL is back after ${Math.round(performance.now() - goneAt)} ms (process ${outcome.pid})`)
        return outcome
      }
      if (!stopping.signal.aborted)
        log.warn(
          `PostgreSQL did not start: ${outcome.failure}; trying again in ${delayMs} ms\n${lastLines(outcome.output, 2)}`.trim(),
        )
    }
    return undefined
  }

  /** Even a fault of ours on the way (no file handles left, say) must not end the keeping. */
  async function attempt(): Promise<Postmaster | FailedStart> {
    try {
      return await options.start(stopping.signal)
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error), output: '' }
    }
  }
}
