import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { noteAlive } from '../inbox/inbox.ts'
import { admit } from './admit.ts'
import { takeOver } from './recover.ts'

/** A lost wake-up call, or a dead host, is noticed after this much more; an idle host pays with a few small queries. */
const tickMs = 5000

/**
 * Behind the wake-up calls: says that this host lives, takes over from those that do not, and admits what nobody was
 * called for.
 */
export function keepWatch(app: App): void {
  app.background.run('the watch over turns', async (signal) => {
    while (!signal.aborted) {
      for (const step of [() => noteAlive(app.db, app.home.hostId), () => takeOver(app), () => admit(app)]) {
        await step().catch((error: unknown) =>
          app.log.debug({ reason: String(error) }, 'the watch over turns was disturbed'),
        )
      }
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}
