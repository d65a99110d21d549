import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { statusSummaryChanged } from '../sessions/events.ts'
import { claimSummary, summarise } from './summarise.ts'

/** At once on one host: each is a process. */
const most = 2

/** A lost call, or a host that died over one, is noticed after this much more. */
const tickMs = 10_000

/** Every host looks for summaries that were asked for; the row decides who has them written. */
export function keepSummaries(app: App): void {
  app.background.run('the watch over status summaries', async (signal) => {
    const pursue = pursuing(app, signal)
    const stopFollowing = app.events.follow({
      onEvents: (events) => {
        if (events.some(({ name }) => name === statusSummaryChanged.name)) void pursue()
      },
      onClosed: () => undefined,
    })
    while (!signal.aborted) {
      await pursue()
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
    stopFollowing()
  })
}

/** Takes as many as there is room for; whoever ends makes room for the next. */
function pursuing(app: App, windDown: AbortSignal): () => Promise<void> {
  let underway = 0
  const pursue = async (): Promise<void> => {
    while (underway < most && !windDown.aborted) {
      underway += 1
      const claim = await claimSummary(app).catch((error: unknown) => {
        app.log.debug({ reason: String(error) }, 'the watch over status summaries was disturbed')
        return undefined
      })
      if (!claim) {
        underway -= 1
        return
      }
      app.background.run('a status summary', async (signal) => {
        try {
          await summarise(app, claim, signal)
        } finally {
          underway -= 1
          void pursue()
        }
      })
    }
  }
  return pursue
}
