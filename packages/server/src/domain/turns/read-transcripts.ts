import type { App } from '../app.ts'
import { ingest } from '../transcripts/transcript.ts'
import { type Exchange, noteReceipt } from './receipt.ts'

/** Stores, whenever called, what every thread of the conversation has grown by: first of all that it did. */
export function transcriptReader(
  app: App,
  { isReceived, ...exchange }: Exchange & { isReceived: boolean },
): () => Promise<void> {
  const { sessionId, runtime, conversation } = exchange
  let hasReceipt = isReceived
  return async () => {
    hasReceipt ||= await noteReceipt(app, exchange)
    if (!hasReceipt) return
    for (const { thread, path } of await runtime.transcriptFiles(conversation)) {
      await ingest(app.db, { sessionId, thread }, path)
    }
  }
}
