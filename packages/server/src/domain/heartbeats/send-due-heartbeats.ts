import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { selectDueHearts as findDueHearts } from './heartbeat-store.ts'
import { beat } from './send-heartbeat.ts'

/** How late a beat may come. Intervals begin at 30 s, and looking costs one small query. */
const tickMs = 10_000

/** Every host looks for hearts that are due; the row decides who gives the beat. */
export function keepHearts(app: App): void {
  app.background.run('the watch over heartbeats', async (signal) => {
    while (!signal.aborted) {
      await beatAllDue(app).catch((error: unknown) =>
        app.log.debug({ reason: String(error) }, 'the watch over heartbeats was disturbed'),
      )
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}

/** One by one, and none suffers for another. */
export async function beatAllDue(app: App): Promise<void> {
  for (const id of await findDueHearts(app.db)) {
    await beat(app, id).catch((error: unknown) =>
      app.log.warn({ sessionId: id, reason: String(error) }, 'a session could not be given its heartbeat now'),
    )
  }
}
