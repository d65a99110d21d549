import { untilReachable } from '../../platform/db/until-reachable.ts'
import { stopTree } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import { findTurnsHeldBy, type Turn } from '../inbox/inbox.ts'
import { findSession, runtimeHome } from '../sessions/session.ts'
import { endTurn } from './end-turn.ts'
import { transcriptReader } from './read-transcripts.ts'

/** How long an agent that outlived us may take to stop when asked. */
const graceMs = 2000

/**
 * Before a host takes work it settles what its rows say it was doing when it died: ends the processes, stores what they
 * wrote, and lets the turn go on or begin anew. No two agents of one session ever run at once.
 */
export async function recover(app: App): Promise<void> {
  const turns = await findTurnsHeldBy(app.db, app.home.hostId)
  await Promise.all(turns.map((turn) => settle(app, turn)))
}

/** A turn that defies settling stays as it is for the next start; it must not keep the others, or us, from working. */
async function settle(app: App, turn: Turn): Promise<void> {
  const about = { sessionId: turn.session_id, turnId: turn.id }
  app.log.warn(about, 'a turn was cut short by the end of this host; recovering it')
  const hold = { turnId: turn.id, owner: app.home.hostId }
  try {
    await stopLeftovers(turn)
    await untilReachable(async () => {
      await storeLeftovers(app, turn)
      await endTurn(app, { hold, session: { id: turn.session_id } }, { kind: 'cut_short' })
    })
  } catch (error) {
    app.log.error({ ...about, err: error }, 'a turn could not be recovered')
  }
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
    sessionId: session.id,
    runtime,
    conversation: { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory },
    isReceived: turn.started_at !== null,
  })
  await read()
}
