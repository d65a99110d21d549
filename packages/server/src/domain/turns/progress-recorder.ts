import type { Conversation } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { SessionRow } from '../sessions/session.ts'
import { collectTranscripts } from '../workspaces/workspace.ts'
import { type Exchange, noteReceipt } from './receipt.ts'

type Recording = Omit<Exchange, 'sessionId' | 'conversation'> & {
  session: SessionRow
  /** A function, because a runtime may name the conversation only after the turn has started. */
  conversation(): Conversation
  isReceived: boolean
}

/**
 * The returned function first records the receipt of the prompt, then stores the new lines of every thread of the
 * conversation. Until there is a receipt it stores nothing: see receipt.ts.
 */
export function progressRecorder(app: App, { isReceived, session, ...exchange }: Recording): () => Promise<void> {
  const { runtime } = exchange
  let hasReceipt = isReceived
  return async () => {
    const conversation = exchange.conversation()
    hasReceipt ||= await noteReceipt(app, { ...exchange, conversation, sessionId: session.id })
    if (hasReceipt) await collectTranscripts(app, { session, runtime, conversation })
  }
}
