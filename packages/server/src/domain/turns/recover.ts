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
import { runtimeHome } from '../workspaces/workspace.ts'
import { endTurn } from './end-turn.ts'
import { transcriptReader } from './progress-recorder.ts'

/** How long an agent that outlived us may take to stop when asked. */
const graceMs = 2000

/**
 * Before a host takes work it settles what its rows say it was doing when it died: ends the processes, stores what they
 * wrote, and lets the turn go on or begin anew. No two agents of one session ever run at once.
 */
export async function recover(app: App): Promise<void> {
  await endAbandonedRuns(app)
  const turns = await findTurnsHeldBy(app.db, app.home.hostId)
  await Promise.all(turns.map((turn) => settle(app, turn)))
}

/**
 * Turns of other hosts that stopped renewing. Their disks are out of reach: what is stored is what there is. Jobs that
 * such a host holds are set free as well; whoever had only been slow finds that they may run twice, as every job may.
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
  await Promise.all(turns.map((turn) => settleSeized(app, turn)))
}

/** What ran here when other hosts thought us dead has no business any more. */
async function endAbandonedRuns(app: App): Promise<void> {
  const markers = await findAbandonedRuns(app.db, app.home.hostId)
  await Promise.all(
    markers.map(async (marker) => {
      await sweepMarked(marker)
      await forgetAbandonedRun(app.db, marker)
    }),
  )
}

/** A turn that defies settling stays as it is for the next start; it must not keep the others, or us, from working. */
async function settle(app: App, turn: Turn): Promise<void> {
  const about = { sessionId: turn.session_id, turnId: turn.id }
  app.metrics.recoveries.inc({ cause: 'crash' })
  app.log.warn(about, 'a turn was cut short by the end of this host; recovering it')
  const hold = holdOf(app, turn)
  try {
    await stopLeftovers(turn)
    await untilReachable(async () => {
      await storeLeftovers(app, turn)
      await endTurn(app, hold, turn.session_id, { kind: 'cut_short' })
    })
  } catch (error) {
    app.log.error({ ...about, err: error }, 'a turn could not be recovered')
  }
}

/**
 * Before its process was up an agent had nothing, and the prompt is given to another as if for the first time. After
 * that nobody here can know whether it had begun: the next agent is told to go on, and what it is about.
 */
async function settleSeized(app: App, turn: SeizedTurn): Promise<void> {
  app.metrics.recoveries.inc({ cause: 'takeover' })
  app.log.warn(
    { sessionId: turn.session_id, turnId: turn.id, from: turn.seized_from },
    'a turn was taken over from a host that fell silent',
  )
  const hold = holdOf(app, turn)
  await untilReachable(async () => {
    if (turn.pid !== null) await recordReceipt(app.db, hold)
    await endTurn(app, hold, turn.session_id, { kind: 'cut_short', isOutOfReach: true })
  })
}

function holdOf(app: App, { id, run_marker: marker }: Turn): TurnHold {
  if (marker === null) throw new Error(`turn ${id} is executing without a run marker`)
  return { turnId: id, owner: app.home.hostId, marker }
}

async function stopLeftovers({ pid, pid_start_time, run_marker }: Turn): Promise<void> {
  if (run_marker === null) return
  const identity = pid === null || pid_start_time === null ? undefined : { pid, startTime: pid_start_time }
  await stopTree({ identity, marker: run_marker, graceMs })
}

async function storeLeftovers(app: App, turn: Turn): Promise<void> {
  const session = await findSession(app.db, { id: turn.session_id })
  const runtime = app.runtimes.find(session.agent_runtime)
  const { working_directory: workingDirectory } = session.metadata
  if (!runtime || session.session_id === null || typeof workingDirectory !== 'string') return
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  const read = transcriptReader(app, {
    hold: holdOf(app, turn),
    session,
    runtime,
    conversation: () => conversation,
    isReceived: turn.started_at !== null,
  })
  await read()
}
