import type { Log } from '../platform/log/log.ts'
import type { Host } from './compose.ts'

/** Within the 20 s that service managers commonly grant. */
const deadlineMs = 18_000

/**
 * One press of Ctrl-C may come twice, from the terminal and from whoever started us (npm passes signals on). What comes
 * within this is the same wish.
 */
const sameWishMs = 1000

/**
 * Drains on the first signal, also on one that comes while the host still starts: what it has opened by then must be
 * closed. A second one, or a drain that takes too long, ends the process as it is. The answer aborts when stopping begins.
 */
export function stopOnSignals(starting: Promise<Host>, log: Log): AbortSignal {
  const stopping = new AbortController()
  let stoppingSince = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - stoppingSince > sameWishMs) process.exit(1)
      return
    }
    stopping.abort()
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('stopping took too long; leaving the rest to the next start')
      process.exit(1)
    }, deadlineMs).unref()
    const stop = async (host: Host): Promise<void> => {
      await host.stop()
      log.info('stopped')
      process.exit(0)
    }
    // A start that fails has closed what it opened, and whoever waits for it says why.
    void starting.then(stop, () => undefined)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return stopping.signal
}
