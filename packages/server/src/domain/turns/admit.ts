import type { Transaction } from '../../platform/db/database.ts'
import { isLockTimeout } from '../../platform/db/outage.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { usesByRuntime } from '../accounts/account.ts'
import { type App, handleJob } from '../app.ts'
import { findSpentBudgets } from '../budgets/budget.ts'
import { isHostAlive } from '../hosts/hosts.ts'
import { admitTurnsJob } from '../inbox/admit-turns-job.ts'
import {
  type Candidate,
  countLiveTurns,
  dispatchTurn,
  findCandidates,
  findOverdueTurns,
  lockAdmission,
  wakeAdmissionAgain,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import {
  classesByGenesis,
  clearHold,
  lockSessionIfFree,
  lockSessionSoon,
  readMetadata,
  recordHold,
  recordOverBudget,
  type SessionRow,
} from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { spentQuotas } from './quota-gate.ts'
import { runTurnJob } from './run-turn-job.ts'

export const admitTurns = handleJob(admitTurnsJob, (_payload, app) => admit(app))

/**
 * Dispatches each session's next turn: priority turns at once, spot turns while a slot is free. A held turn has no job
 * that could be lost; everything that may free a slot calls this again. Each session has a transaction of its own. One whose
 * row is locked comes last, and later if it stays locked: slow requests must not hold up the turns of other sessions.
 */
export async function admit(app: App): Promise<void> {
  const overdue = await findOverdueTurns(app.db)
  const settings = await readSettings(app.db)
  const slots = settings.spot_gating_enabled ? settings.spot_max_concurrent_sessions : Number.POSITIVE_INFINITY
  const classes = classesByGenesis(settings)
  const live = await countLiveTurns(app.db)
  const queued = await findCandidates(app.db, classes)
  const spent = await findSpentBudgets(app, app.db, queued)
  const quotas = settings.spot_gating_enabled
    ? spentQuotas(settings, await usesByRuntime(app.db, app.clock.now()))
    : noQuotas
  // A slot that is freed from here on belongs to the best of all turns, and those that are held for one are not among these candidates:
  // whatever freed it calls this again.
  const full = live >= slots ? slotHold(live, slots) : undefined
  const candidates = queued.filter(
    (candidate) => !(candidate.is_held && candidate.hold_reason === holdOf(candidate, { spent, quotas, full })?.reason),
  )
  const steps: Step[] = [
    ...overdue.map(
      ({ id, session_id }): Step => ({
        sessionId: session_id,
        take: (tx, session) => enqueueRun(tx, id, session),
      }),
    ),
    ...candidates.map(
      ({ session_id }): Step => ({
        sessionId: session_id,
        take: (tx, session) => admitSession(app, tx, session, { slots, quotas, classes, full }),
      }),
    ),
  ]
  const locked: Step[] = []
  for (const step of steps) if (!(await takeStep(app, step, lockSessionIfFree))) locked.push(step)
  let isLeft = false
  for (const step of locked) isLeft = !(await takeStep(app, step, lockSessionSoon)) || isLeft
  if (isLeft) await transact(app.db, (tx) => wakeAdmissionAgain(tx))
}

type Step = { sessionId: number; take(tx: Transaction, session: SessionRow): Promise<void> }

/** False if the session is locked or was deleted. */
async function takeStep(app: App, { sessionId, take }: Step, lock: typeof lockSessionIfFree): Promise<boolean> {
  try {
    return await transact(app.db, async (tx) => {
      const session = await lock(tx, { id: sessionId })
      if (session) await take(tx, session)
      return session !== undefined
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

type Gate = {
  slots: number
  quotas: ReadonlyMap<string, string>
  classes: ReturnType<typeof classesByGenesis>
  /** Why spot turns wait, if no slot was free when the candidates were found. */
  full: Hold | undefined
}

/**
 * Slots are counted under the admission lock, so that the limit is exact. Budgets are summed before it, because no other session should
 * wait for that. The session's next turn may have changed since it was found; the session's lock keeps it now.
 */
async function admitSession(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { slots, quotas, classes, full }: Gate,
): Promise<void> {
  const [candidate] = await findCandidates(tx, classes, session.id)
  if (!candidate) return
  const spent = await findSpentBudgets(app, tx, [candidate])
  const hold = holdOf(candidate, { spent, quotas, full })
  if (hold) return holdTurn(app, tx, candidate, hold)
  await lockAdmission(tx)
  const live = await countLiveTurns(tx)
  if (candidate.class === 'spot' && live >= slots) return holdTurn(app, tx, candidate, slotHold(live, slots))
  if (!(await dispatchTurn(tx, candidate.id))) return
  if (candidate.is_held || candidate.is_stopped_by_budget) await clearHold(tx, session.id)
  if (candidate.is_held) await note(app, tx, session.id, releaseOf(session))
  const budget = spent.get(session.id)
  if (budget !== undefined) {
    await recordOverBudget(tx, session.id, candidate.id)
    await note(app, tx, session.id, `A priority turn starts although ${budget}.`, 'warning')
  }
  await enqueueRun(tx, candidate.id, session)
}

const noQuotas: ReadonlyMap<string, string> = new Map()

type Pressure = { spent: ReadonlyMap<number, string>; quotas: ReadonlyMap<string, string>; full: Hold | undefined }

/**
 * Why the turn must wait now. A spent budget lets only a priority turn start that a person asked for, and not one that it ended until a
 * person resumes it.
 */
function holdOf(candidate: Candidate, { spent, quotas, full }: Pressure): Hold | undefined {
  const budget = spent.get(candidate.session_id)
  const mayPass = candidate.class === 'priority' && candidate.is_by_person && !candidate.is_stopped_by_budget
  if (budget !== undefined && !mayPass) return budgetHold(budget)
  if (candidate.class !== 'spot') return undefined
  const quota = quotas.get(candidate.agent_runtime)
  return quota === undefined ? full : quotaHold(quota)
}

type Hold = { reason: string; detail: string; until: string }

/** It is read long afterwards, when others may run. */
function slotHold(live: number, slots: number): Hold {
  const detail = `${live === 1 ? '1 session was' : `${live} sessions were`} running and the limit for spot work is ${slots}`
  return { reason: 'fleet_at_cap', detail, until: 'when a slot is free' }
}

function quotaHold(detail: string): Hold {
  return { reason: 'at_utilization_limit', detail, until: 'when a window clears or the target is raised' }
}

const budgetReason = 'budget_exhausted'

function budgetHold(detail: string): Hold {
  return { reason: budgetReason, detail, until: 'when the limit is raised or the next period begins' }
}

function releaseOf(session: SessionRow): string {
  const { spot_hold_reason: reason } = readMetadata(session)
  if (reason === budgetReason) return 'The budget allows it; the held turn starts.'
  return reason === 'at_utilization_limit'
    ? 'The quota allows it; the held turn starts.'
    : 'A slot is free; the held turn starts.'
}

/** Logs only a new reason: later passes find the turn already held for it. */
async function holdTurn(
  app: App,
  tx: Transaction,
  candidate: Candidate,
  { reason, detail, until }: Hold,
): Promise<void> {
  if (candidate.is_held && candidate.hold_reason === reason) return
  await recordHold(tx, candidate.session_id, { reason, detail, ...(!candidate.is_held && { at: app.clock.now() }) })
  await note(app, tx, candidate.session_id, `Held: ${detail}. The turn starts ${until}.`, 'warning')
}

/** A first turn may run on any host. Later ones run on the host with the clone, unless that host is dead. */
async function enqueueRun(tx: Transaction, turnId: string, { id: sessionId, host_id }: SessionRow): Promise<void> {
  const isBound = host_id !== null && (await isHostAlive(tx, host_id))
  const key = `${runTurnJob.name}:${turnId}`
  await enqueue(tx, runTurnJob, { turnId, sessionId }, { key, ...(isBound && { hostId: host_id }) })
}
