import { stopTree } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import { findTurnsHeldBy, type Turn } from '../inbox/inbox.ts'
import { findSession, runtimeHome } from '../sessions/session.ts'
import { endTurn } from './end-turn.ts'
import { readTranscripts } from './read-transcripts.ts'

/** How long an agent that outlived us may take to stop when asked. */
const graceMs = 2000

/**
 * Before a host takes work it settles what its rows say it was doing when it died: ends the processes, stores what they
 * wrote, and lets the turn go on or begin anew. No two agents of one session ever run at once.
 */
export async function recover(app: App): Promise<void> {
  for (const turn of await findTurnsHeldBy(app.db, app.home.hostId)) {
    app.log.warn(
      { sessionId: turn.session_id, turnId: turn.id },
      'a turn was cut short by the end of this host; recovering it',
    )
    await stopLeftovers(turn)
    await storeLeftovers(app, turn)
    const ending = { hold: { turnId: turn.id, owner: app.home.hostId }, session: { id: turn.session_id } }
    await endTurn(app, ending, { kind: turn.started_at === null ? 'not_begun' : 'cut_short' })
  }
}

async function stopLeftovers({ pid, pid_start_time, run_marker }: Turn): Promise<void> {
  if (run_marker === null) return
  const identity = pid === null || pid_start_time === null ? undefined : { pid, startTime: pid_start_time }
  await stopTree({ identity, marker: run_marker, graceMs })
}

async function storeLeftovers(app: App, { session_id }: Turn): Promise<void> {
  const session = await findSession(app.db, { id: session_id })
  const runtime = app.runtimes.find(session.agent_runtime)
  const { working_directory: workingDirectory } = session.metadata
  if (!runtime || session.session_id === null || typeof workingDirectory !== 'string') return
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  await readTranscripts(app.db, { sessionId: session.id, runtime, conversation })
}
