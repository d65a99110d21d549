import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { titleAllDue } from './give-title.ts'

/** How late the title of a session may come whose first turn goes on for long. */
const tickMs = 30_000

/** Every host looks for sessions that have outgrown their placeholder, at once when one comes to rest. */
export function keepTitles(app: App): void {
  app.background.run('the watch over titles', async (signal) => {
    const look = (): Promise<void> =>
      titleAllDue(app).catch((error: unknown) =>
        app.log.debug({ reason: String(error) }, 'the watch over titles was disturbed'),
      )
    const stopFollowing = app.events.follow({
      onEvents: (events) => {
        if (events.some(({ name, payload }) => name === sessionStatusChanged.name && isRest(payload))) void look()
      },
      onClosed: () => undefined,
    })
    while (!signal.aborted) {
      await look()
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
    stopFollowing()
  })
}

function isRest(payload: unknown): boolean {
  const { success, data } = sessionStatusChanged.payload.safeParse(payload)
  return success && ['needs_input', 'failed', 'archived'].includes(data.to)
}
