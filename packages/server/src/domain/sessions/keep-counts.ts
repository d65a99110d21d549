import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { sumUpCounts } from './count-store.ts'

/** A busy minute leaves some hundred changes, which a list adds up in passing. */
const tickMs = 60_000

export function keepCounts(app: App): void {
  app.background.run('the numbers of sessions', async (signal) => {
    while (!signal.aborted) {
      await sumUpCounts(app.db).catch((error: unknown) =>
        app.log.debug({ reason: String(error) }, 'the numbers of sessions could not be summed up now'),
      )
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}
