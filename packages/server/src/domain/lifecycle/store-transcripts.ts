import type { Transaction } from '../../platform/db/database.ts'
import type { Conversation, Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordReceipt } from '../inbox/inbox.ts'
import type { SessionRow } from '../sessions/session.ts'
import { collectTranscripts } from '../workspaces/workspace.ts'

type Writer = {
  session: SessionRow
  runtime: Runtime
  conversation: Conversation
  /** Whether the writer may still store lines. Locks the row that says so until the transaction ends. */
  mayStore(tx: Transaction): Promise<boolean>
}

/**
 * Stores the new lines of a session's agent. A turn, its recovery and a refresh all call this; it is the only way from the
 * agent's files to the database.
 *
 * The line with the prompt is the receipt: an agent writes the prompt to its transcript before it acts on it. That we passed
 * the prompt to the process proves nothing, because the host may die before it records that. The transaction that stores
 * the line also records the receipt of the executing turn, even if a refresh stores it. So a crash at any point leaves both
 * or neither, and recovery sends a prompt again only if no agent has received it. A turn ends only after all its lines are
 * stored, so every line behind the stored part belongs to the executing turn.
 */
export function storeTranscripts(app: App, { session, ...source }: Writer): Promise<number> {
  return collectTranscripts(app, {
    ...source,
    session,
    onReceipt: (tx) => recordReceipt(tx, { sessionId: session.id, owner: app.home.hostId }),
  })
}
