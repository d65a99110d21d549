import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { noteAlive } from '../inbox/inbox.ts'
import { settingsChanged } from '../settings/events.ts'
import { admit } from './admit.ts'
import { takeOver } from './recover.ts'

/** A lost wake-up call, or a dead host, is noticed after this much more; an idle host pays with a few small queries. */
const tickMs = 5000

/**
 * Behind the wake-up calls: says that this host lives, takes over from those that do not, and admits what nobody was
 * called for. Settings may let more in, so it looks at once when they change.
 */
export function keepWatch(app: App): void {
  app.events.follow({
    onEvents: (events) => {
      if (events.some(({ name }) => name === settingsChanged.name)) void undisturbed(app, () => admit(app))
    },
    onClosed: () => undefined,
  })
  app.background.run('the watch over turns', async (signal) => {
    while (!signal.aborted) {
      for (const step of [() => noteAlive(app.db, app.home.hostId), () => takeOver(app), () => admit(app)]) {
        await undisturbed(app, step)
      }
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}

async function undisturbed(app: App, step: () => Promise<void>): Promise<void> {
  await step().catch((error: unknown) => app.log.debug({ reason: String(error) }, 'the watch over turns was disturbed'))
}
