import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { runForEach } from '../../platform/jobs/run-for-each.ts'
import { usesByRuntime } from '../accounts/account.ts'
import type { App } from '../app.ts'
import { countLiveTurns, findStanding, wakeAdmission, withdrawLiveTurn } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import {
  type ClassByGenesis,
  classesByGenesis,
  clearHold,
  lockSessionIfThere,
  readMetadata,
  transition,
} from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { selectPaused, selectRunningSpot } from './ceiling-store.ts'
import { spentQuotas } from './quota-gate.ts'

/** A pool must be this far below its targets, so that turns do not stop and start again at every reading. */
const marginPoints = 5

/** Spot sessions that one sweep resumes: a pool that has just recovered is not spent again at once. */
const mostPerSweep = 5

/**
 * Pauses running spot turns of runtimes whose accounts have reached a quota target, and resumes them when a window has cleared.
 * Decides from readings, settings and rows only, and writes each session in one transaction: a sweep that dies is repeated by the next.
 */
export async function sweepSpotCeiling(app: App): Promise<void> {
  const settings = await readSettings(app.db)
  const classes = classesByGenesis(settings)
  const isGated = settings.spot_gating_enabled
  const uses = isGated ? await usesByRuntime(app.db, app.clock.now()) : new Map()
  const reached = spentQuotas(settings, uses)
  const running = reached.size > 0 ? await selectRunningSpot(app.db, [...reached.keys()], classes) : []
  await runForEach(running, (id) => transact(app.db, (tx) => pause(app, tx, id, { classes, reached })))

  const paused = await selectPaused(app.db, classes)
  if (paused.length === 0) return
  const near = spentQuotas(settings, uses, { marginPoints })
  const freeSlots = isGated ? settings.spot_max_concurrent_sessions - (await countLiveTurns(app.db)) : mostPerSweep
  const promoted = paused.filter((session) => session.class === 'priority')
  const spot = paused.filter((session) => session.class === 'spot' && !near.has(session.agent_runtime))
  const chosen = [...promoted, ...spot.slice(0, Math.max(0, Math.min(mostPerSweep, freeSlots)))]
  await runForEach(
    chosen.map(({ id }) => id),
    (id) => transact(app.db, (tx) => resume(app, tx, id)),
  )
}

type Ceiling = { classes: ClassByGenesis; reached: ReadonlyMap<string, string> }

/**
 * Withdraws the live turn as a restart does: the agent is stopped in order, what it did is stored, and the turn is queued again to be
 * continued. Admission passes over the session until it resumes.
 */
async function pause(app: App, tx: Transaction, sessionId: number, { classes, reached }: Ceiling): Promise<void> {
  const session = await lockSessionIfThere(tx, { id: sessionId })
  if (session?.status !== 'running' && session?.status !== 'waiting') return
  const detail = reached.get(session.agent_runtime)
  const isSpot = (session.scheduling_class ?? classes[session.genesis]) === 'spot'
  if (detail === undefined || !isSpot) return
  if (!(await findStanding(tx, sessionId)).underway) return
  await withdrawLiveTurn(tx, sessionId, 'restart')
  const metadata = {
    paused_by: 'spot_quota' as const,
    spot_pause_at: formatTimestamp(app.clock.now()),
    spot_pause_reason: 'at_utilization_limit',
    spot_pause_detail: detail,
    spot_pause_count: (readMetadata(session).spot_pause_count ?? 0) + 1,
  }
  await transition(app, tx, { sessionId, cause: 'withdraw', with: { metadata } })
  await note(app, tx, sessionId, `Paused: ${detail}. The turn goes on when a window clears.`, 'warning')
}

/** Not while the agent is still stopping: how its turn ended is not known yet. */
async function resume(app: App, tx: Transaction, sessionId: number): Promise<void> {
  const session = await lockSessionIfThere(tx, { id: sessionId })
  if (session?.status !== 'waiting' || readMetadata(session).spot_pause_at === undefined) return
  if ((await findStanding(tx, sessionId)).isStopping) return
  await clearHold(tx, sessionId)
  await note(app, tx, sessionId, 'The paused turn goes on.')
  await wakeAdmission(tx, sessionId)
}
