import type { App } from '../app.ts'
import { readTranscripts, type SessionRow } from '../sessions/session.ts'
import { type Exchange, noteReceipt } from './receipt.ts'

type Reading = Omit<Exchange, 'sessionId'> & { session: SessionRow; isReceived: boolean }

/** Stores, whenever called, what every thread of the conversation has grown by: first of all that it did. */
export function transcriptReader(app: App, { isReceived, session, ...exchange }: Reading): () => Promise<void> {
  const { runtime, conversation } = exchange
  let hasReceipt = isReceived
  return async () => {
    hasReceipt ||= await noteReceipt(app, { ...exchange, sessionId: session.id })
    if (hasReceipt) await readTranscripts(app, { session, runtime, conversation })
  }
}
