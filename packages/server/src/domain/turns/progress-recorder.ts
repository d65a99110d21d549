import type { Conversation, Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { enforceBudgets } from '../budgets/budget.ts'
import { lockHold, type TurnHold } from '../inbox/inbox.ts'
import { storeTranscripts } from '../lifecycle/lifecycle.ts'
import { readMetadata, type SessionRow } from '../sessions/session.ts'

type Recording = {
  hold: TurnHold
  session: SessionRow
  runtime: Runtime
  /** A function, because a runtime may name the conversation only after the turn has started. */
  conversation(): Conversation
}

/**
 * The returned function stores the new lines of every thread of the conversation while `hold` owns the turn, and enforces the
 * budgets that the model calls in them count toward. `isOver` says
 * that the agent has ended.
 */
export function progressRecorder(
  app: App,
  { hold, session, runtime, conversation }: Recording,
): (isOver: boolean) => Promise<void> {
  const noted = new Set<string>()
  return async (isOver) => {
    const { reports } = await storeTranscripts(app, {
      session,
      runtime,
      conversation: conversation(),
      isOver,
      noted,
      mayStore: (tx) => lockHold(tx, hold),
    })
    // What an agent that has ended used must not end its turn: the budgets are enforced after that.
    if (reports > 0 && !isOver) await enforceBudgetsOf(app, session)
  }
}

/** The budgets that the session's calls count toward. */
export async function enforceBudgetsOf(app: App, session: SessionRow): Promise<void> {
  const { agent_root_key: root } = readMetadata(session)
  await enforceBudgets(app, { sessionIds: [session.id], agentRoots: root === undefined ? [] : [root] })
}
