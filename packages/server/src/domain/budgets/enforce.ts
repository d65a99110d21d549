import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { runForEach } from '../../platform/jobs/run-for-each.ts'
import type { App } from '../app.ts'
import { findStanding, withdrawLiveTurn } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { notify } from '../notifications/notification.ts'
import { lockSessionIfThere, readMetadata, selectSession, transition } from '../sessions/session.ts'
import { lockBudget, selectLastSpender, selectSessionsToEnd, updateReached, type Which } from './budget-store.ts'
import { budgetsChanged } from './events.ts'
import { findSpending, nameOf, type Spending, spentOf } from './spending.ts'

/**
 * Tells people about budgets that are nearly or wholly spent, and ends the turns under those that are. Runs after every recorded
 * model call for the budgets of its session, and periodically for all: a host that dies in between leaves nothing undone,
 * because every run decides from what was spent and not from what an earlier run did.
 */
export async function enforceBudgets(app: App, which: Which): Promise<void> {
  for (const found of await findSpending(app, app.db, which)) {
    if (found.state === 'ok') continue
    const spending = isTold(found) ? found : await transact(app.db, (tx) => tell(app, tx, found.budget.id))
    if (spending?.state !== 'exhausted') continue
    const ids = await selectSessionsToEnd(app.db, spending.budget)
    await runForEach(ids, (id) => transact(app.db, (tx) => endTurn(app, tx, id, spending)))
  }
}

/** After that no call waits for the lock of the budget. */
function isTold({ budget, periodStart, state }: Spending): boolean {
  const toldFor = state === 'exhausted' ? budget.exhausted_for : budget.warned_for
  return toldFor?.getTime() === periodStart.getTime()
}

/** Under the lock of the budget, so that two hosts tell people once. */
async function tell(app: App, tx: Transaction, id: number): Promise<Spending | undefined> {
  if (!(await lockBudget(tx, id))) return undefined
  const [spending] = await findSpending(app, tx, { id })
  if (!spending || spending.state === 'ok' || isTold(spending)) return spending
  const { periodStart, state } = spending
  await updateReached(tx, id, { warnedFor: periodStart, exhaustedFor: state === 'exhausted' ? periodStart : null })
  await announce(app, tx, spending)
  await app.events.publish(tx, budgetsChanged, { payload: { budget_id: id } })
  return spending
}

/** About the session that spent last. A service whose sessions were all deleted has no one to tell about. */
async function announce(app: App, tx: Transaction, spending: Spending): Promise<void> {
  const { budget, share, state, periodStart } = spending
  const sessionId = await selectLastSpender(tx, budget)
  const session = sessionId === undefined ? undefined : await selectSession(tx, { id: sessionId })
  if (!session) return
  const spent = `${spentOf(spending)} were spent of ${nameOf(budget)} (${Math.floor(share * 100)} %).`
  const limit = budget.limit_usd ?? budget.limit_tokens
  await notify(app, tx, {
    session,
    type: state === 'exhausted' ? 'budget_exhausted' : 'budget_warning',
    body: state === 'exhausted' ? `${spent} Running turns end and spot turns are held.` : spent,
    marker: `budget ${budget.id} ${periodStart.toISOString()} ${limit} ${budget.updated_at.toISOString()}`,
  })
}

/**
 * Withdraws the live turn as a restart does: what the agent did is stored, and the turn is queued again to be continued. Admission
 * holds it until the budget allows it.
 */
async function endTurn(app: App, tx: Transaction, sessionId: number, { budget }: Spending): Promise<void> {
  const session = await lockSessionIfThere(tx, { id: sessionId })
  if (session?.status !== 'running' && session?.status !== 'waiting') return
  const { underway } = await findStanding(tx, sessionId)
  if (!underway || underway.id === readMetadata(session).over_budget_turn_id) return
  await withdrawLiveTurn(tx, sessionId, 'restart')
  await transition(app, tx, { sessionId, cause: 'withdraw', with: { metadata: { stopped_by_budget: true } } })
  const sentence = `The turn ends: ${nameOf(budget)} is spent. It goes on when the limit is raised or the next period begins.`
  await note(app, tx, sessionId, sentence, 'warning')
}
