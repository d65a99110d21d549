import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../app.ts'
import { indexDocuments } from './index-documents.ts'
import { indexTranscripts } from './index-transcripts.ts'

/** An idle host pays with two queries of an empty table. */
const tickMs = 2000
/** A running turn says something every second; what it says is indexed a few seconds' worth at a time. */
const settleMs = 10_000

/** Every host looks for what is not indexed yet; one at a time does it. Until then searches read it as it is. */
export function keepIndex(app: App): void {
  app.background.run('the search index', async (signal) => {
    while (!signal.aborted) {
      for (const step of [indexDocuments, indexTranscripts]) await untilDone(app, step, signal)
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}

async function untilDone(app: App, step: typeof indexDocuments, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted && (await step(app, { settleMs })));
  } catch (error) {
    app.log.debug({ reason: String(error) }, 'the search index was disturbed')
  }
}
