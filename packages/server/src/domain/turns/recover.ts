import { untilReachable } from '../../platform/db/until-reachable.ts'
import { unlockJobsOf } from '../../platform/jobs/worker-locks.ts'
import { stopTree, sweepMarked } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import {
  findAbandonedRuns,
  findSilentHosts,
  findTurnsHeldBy,
  forgetAbandonedRun,
  markHostsDead,
  recordReceipt,
  type SeizedTurn,
  seizeExpiredTurns,
  type Turn,
  type TurnHold,
} from '../inbox/inbox.ts'
import { findSession } from '../sessions/session.ts'
import { removeLeftSecrets, runtimeHome } from '../workspaces/workspace.ts'
import { endTurn } from './end-turn.ts'
import { progressRecorder } from './progress-recorder.ts'

/**
 * Before a host takes jobs, it recovers the turns that it held when it died: ends their processes, stores what they
 * wrote, and continues or requeues each turn. Ending the processes first keeps two agents of one session apart.
 */
export async function recover(app: App): Promise<void> {
  await endAbandonedRuns(app)
  const turns = await findTurnsHeldBy(app.db, app.home.hostId)
  await Promise.all(turns.map((turn) => recoverTurn(app, turn)))
  await removeLeftSecrets(app)
}

/**
 * Takes over turns of hosts that stopped renewing their leases. Their disks cannot be read, so only stored entries are
 * available. It also unlocks the jobs of silent hosts; if such a host was only slow, they run twice, as any job may.
 */
export async function takeOver(app: App): Promise<void> {
  await endAbandonedRuns(app)
  const turns = await seizeExpiredTurns(app.db, app.home.hostId)
  if (turns.length > 0)
    await markHostsDead(
      app.db,
      turns.map(({ seized_from }) => seized_from),
    )
  const silent = await findSilentHosts(app.db)
  if (silent.length > 0) await unlockJobsOf(app.db, silent)
  await Promise.all(turns.map((turn) => recoverSeizedTurn(app, turn)))
}

/** Ends processes of runs that other hosts took over while this host counted as dead. */
async function endAbandonedRuns(app: App): Promise<void> {
  const markers = await findAbandonedRuns(app.db, app.home.hostId)
  await Promise.all(
    markers.map(async (marker) => {
      await sweepMarked(marker)
      await forgetAbandonedRun(app.db, marker)
    }),
  )
}

/** A turn that cannot be recovered stays for the next start; it must not block the other turns or the start itself. */
async function recoverTurn(app: App, turn: Turn): Promise<void> {
  const about = { sessionId: turn.session_id, turnId: turn.id }
  app.metrics.recoveries.inc({ cause: 'crash' })
  app.log.warn(about, 'recovering a turn that was executing when this host died')
  const hold = holdOf(app, turn)
  try {
    await stopRemainingProcesses(turn)
    await untilReachable(async () => {
      await storeRemainingOutput(app, turn)
      await endTurn(app, hold, turn.session_id, { kind: 'cut_short' })
    })
  } catch (error) {
    app.log.error({ ...about, err: error }, 'could not recover a turn')
  }
}

/**
 * A turn without a recorded process was not delivered: it is queued again. With one, this host cannot know whether the
 * agent received the prompt, so it assumes it did; the recovery prompt quotes the original prompt.
 */
async function recoverSeizedTurn(app: App, turn: SeizedTurn): Promise<void> {
  app.metrics.recoveries.inc({ cause: 'takeover' })
  app.log.warn(
    { sessionId: turn.session_id, turnId: turn.id, from: turn.seized_from },
    'took over a turn from a host whose lease expired',
  )
  const hold = holdOf(app, turn)
  await untilReachable(async () => {
    if (turn.pid !== null) await recordReceipt(app.db, { sessionId: turn.session_id, owner: hold.owner })
    await endTurn(app, hold, turn.session_id, { kind: 'cut_short', isOnLostHost: true })
  })
}

function holdOf(app: App, { id, run_marker: marker }: Turn): TurnHold {
  if (marker === null) throw new Error(`turn ${id} is executing without a run marker`)
  return { turnId: id, owner: app.home.hostId, marker }
}

async function stopRemainingProcesses({ pid, pid_start_time, run_marker }: Turn): Promise<void> {
  if (run_marker === null) return
  const identity = pid === null || pid_start_time === null ? undefined : { pid, startTime: pid_start_time }
  // At once: on SIGTERM some agents call the model once more, and record that the user rejected their tool call.
  await stopTree({ identity, marker: run_marker, graceMs: 0 })
}

async function storeRemainingOutput(app: App, turn: Turn): Promise<void> {
  const session = await findSession(app.db, { id: turn.session_id })
  const runtime = app.runtimes.find(session.agent_runtime)
  const { working_directory: workingDirectory } = session.metadata
  if (!runtime || session.session_id === null || typeof workingDirectory !== 'string') return
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  const recordProgress = progressRecorder(app, {
    hold: holdOf(app, turn),
    session,
    runtime,
    conversation: () => conversation,
  })
  await recordProgress(true)
}
