import type { Conversation } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { SessionRow } from '../sessions/session.ts'
import { collectTranscripts } from '../workspaces/workspace.ts'
import { type Exchange, noteReceipt } from './receipt.ts'

type Reading = Omit<Exchange, 'sessionId' | 'conversation'> & {
  session: SessionRow
  /** Asked each time: a runtime may have named it only when its turn had begun. */
  conversation(): Conversation
  isReceived: boolean
}

/** Stores, whenever called, what every thread of the conversation has grown by: first of all that it did. */
export function transcriptReader(app: App, { isReceived, session, ...exchange }: Reading): () => Promise<void> {
  const { runtime } = exchange
  let hasReceipt = isReceived
  return async () => {
    const conversation = exchange.conversation()
    hasReceipt ||= await noteReceipt(app, { ...exchange, conversation, sessionId: session.id })
    if (hasReceipt) await collectTranscripts(app, { session, runtime, conversation })
  }
}
