import { untilReachable } from '../../platform/db/until-reachable.ts'
import { stopTree, sweepMarked } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import {
  findTurnsHeldBy,
  forgetHosts,
  recordReceipt,
  seizeExpiredTurns,
  type Turn,
  takeSeizedFrom,
} from '../inbox/inbox.ts'
import { findSession, runtimeHome } from '../sessions/session.ts'
import { endTurn } from './end-turn.ts'
import { transcriptReader } from './transcript-reader.ts'

/** How long an agent that outlived us may take to stop when asked. */
const graceMs = 2000

/**
 * Before a host takes work it settles what its rows say it was doing when it died: ends the processes, stores what they
 * wrote, and lets the turn go on or begin anew. No two agents of one session ever run at once.
 */
export async function recover(app: App): Promise<void> {
  await sweepSeized(app)
  const turns = await findTurnsHeldBy(app.db, app.home.hostId)
  await Promise.all(turns.map((turn) => settle(app, turn)))
}

/** Turns of other hosts that stopped renewing. Their disks are out of reach: what is stored is what there is. */
export async function takeOver(app: App): Promise<void> {
  await sweepSeized(app)
  const turns = await seizeExpiredTurns(app.db, app.home.hostId)
  const silent = turns.flatMap(({ seized_from }) => seized_from ?? [])
  if (silent.length > 0) await forgetHosts(app.db, silent)
  await Promise.all(turns.map((turn) => settleSeized(app, turn)))
}

/** What ran here when other hosts thought us dead has no business any more. */
async function sweepSeized(app: App): Promise<void> {
  const markers = await takeSeizedFrom(app.db, app.home.hostId)
  await Promise.all(markers.map((marker) => sweepMarked(marker)))
}

/** A turn that defies settling stays as it is for the next start; it must not keep the others, or us, from working. */
async function settle(app: App, turn: Turn): Promise<void> {
  const about = { sessionId: turn.session_id, turnId: turn.id }
  app.metrics.recoveries.inc({ cause: 'crash' })
  app.log.warn(about, 'a turn was cut short by the end of this host; recovering it')
  const hold = { turnId: turn.id, owner: app.home.hostId }
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
 * An agent whose process was up may have had its prompt without anybody knowing; it is told to go on rather than given
 * the prompt a second time.
 */
async function settleSeized(app: App, turn: Turn): Promise<void> {
  app.metrics.recoveries.inc({ cause: 'takeover' })
  app.log.warn(
    { sessionId: turn.session_id, turnId: turn.id, from: turn.seized_from },
    'a turn was taken over from a host that fell silent',
  )
  const hold = { turnId: turn.id, owner: app.home.hostId }
  await untilReachable(async () => {
    if (turn.pid !== null) await recordReceipt(app.db, hold)
    await endTurn(app, hold, turn.session_id, { kind: 'cut_short' })
  })
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
  const read = transcriptReader(app, {
    hold: { turnId: turn.id, owner: app.home.hostId },
    session,
    runtime,
    conversation: { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory },
    isReceived: turn.started_at !== null,
  })
  await read()
}
