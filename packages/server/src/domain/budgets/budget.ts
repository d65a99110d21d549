import type { Database, Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import type { Candidate } from '../inbox/inbox.ts'
import { findSpending, nameOf } from './spending.ts'

/** The face of the room: limits on what may be spent. */
export { enforceBudgets } from './enforce.ts'

/**
 * The sessions of these turns whose budget is spent, each with a sentence about it. Decided from what was spent, so that no turn
 * starts in the moment before people are told.
 */
export async function findSpentBudgets(
  app: App,
  db: Database | Transaction,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<number, string>> {
  if (candidates.length === 0) return new Map()
  const sessionIds = candidates.map(({ session_id }) => session_id)
  const agentRoots = [...new Set(candidates.flatMap(({ agent_root }) => agent_root ?? []))]
  const exhausted = (await findSpending(app, db, { sessionIds, agentRoots })).filter(
    ({ state }) => state === 'exhausted',
  )
  const spent = candidates.flatMap(({ session_id, agent_root }) => {
    const found = exhausted.find(
      ({ budget }) =>
        budget.scope === 'service' ||
        (budget.scope === 'agent_root' && budget.agent_root === agent_root) ||
        (budget.scope === 'session' && budget.session_id === session_id),
    )
    return found ? [[session_id, `${nameOf(found.budget)} is spent`] as const] : []
  })
  return new Map(spent)
}
