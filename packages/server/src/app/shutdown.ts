import type { Log } from '../platform/log/log.ts'
import type { Host } from './compose.ts'

/** Within the 20 s that service managers commonly grant. */
const deadlineMs = 18_000

/** Drains on the first signal. A second one, or a drain that takes too long, ends the process as it is. */
export function stopOnSignals(host: Host, log: Log): void {
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('stopping took too long; leaving the rest to the next start')
      process.exit(1)
    }, deadlineMs).unref()
    void host.stop().then(() => {
      log.info('stopped')
      process.exit(0)
    })
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
