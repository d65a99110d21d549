import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { unlockJobsOf } from '../../platform/jobs/worker-locks.ts'
import { inWork } from '../../platform/log/work-context.ts'
import { stopTree, sweepMarked } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import { findSilentHosts, markHostsDead } from '../hosts/hosts.ts'
import {
  findAbandonedRuns,
  findTurnsHeldBy,
  forgetAbandonedRun,
  type HeldTurn,
  recordReceipt,
  seizeExpiredTurns,
  type TurnHold,
} from '../inbox/inbox.ts'
import { findSession, readMetadata } from '../sessions/session.ts'
import { removeLeftSecrets, runtimeHome } from '../workspaces/workspace.ts'
import { endTurn, type Outcome, untrustedFileFailure } from './end-turn.ts'
import { progressRecorder } from './progress-recorder.ts'

/**
 * Before a host takes jobs, it recovers the turns that it held when it died: ends their processes, stores what they
 * wrote, and continues or requeues each turn. Ending the processes first keeps two agents of one session apart.
 */
export async function recover(app: App): Promise<void> {
  await endAbandonedRuns(app)
  await settleHeldTurns(app)
  await removeLeftSecrets(app)
}

/**
 * Takes over turns of hosts that stopped renewing their leases. It also unlocks the jobs of silent hosts; if such a host
 * was only slow, they run twice, as any job may. Then it settles every turn of this host that no task of it runs: those
 * just taken over, and those whose task or takeover failed before it could write the end.
 */
export async function takeOver(app: App): Promise<void> {
  await endAbandonedRuns(app)
  const seized = await seizeExpiredTurns(app.control, app.home.hostId)
  for (const { session_id, id, seized_from } of seized)
    app.log.warn({ session_id, turn_id: id, from: seized_from }, 'took over a turn from a host whose lease expired')
  if (seized.length > 0)
    await markHostsDead(
      app.control,
      seized.map(({ seized_from }) => seized_from),
    )
  const silent = await findSilentHosts(app.control)
  if (silent.length > 0) await unlockJobsOf(app.control, silent)
  await settleHeldTurns(app)
}

/** Ends processes of runs that other hosts took over while this host counted as dead. */
async function endAbandonedRuns(app: App): Promise<void> {
  const markers = await findAbandonedRuns(app.control, app.home.hostId)
  await Promise.all(
    markers.map(async (marker) => {
      await sweepMarked(marker)
      await forgetAbandonedRun(app.control, marker)
    }),
  )
}

/** Reads the rows first: a task registers its run before it claims the turn. */
async function settleHeldTurns(app: App): Promise<void> {
  const held = await findTurnsHeldBy(app.control, app.home.hostId)
  await Promise.all(
    held.map(async (turn) => {
      const hold = holdOf(app, turn)
      if (app.runs.has(hold.marker)) return
      await inWork({ session_id: turn.session_id, turn_id: turn.id }, () => settle(app, turn, hold))
    }),
  )
}

/** A turn that cannot be settled waits for the next check; it must not block other turns or the start of the host. */
async function settle(app: App, turn: HeldTurn, hold: TurnHold): Promise<void> {
  const isOwn = turn.ran_on === hold.owner
  app.metrics.recoveries.inc({ cause: isOwn ? 'crash' : 'takeover' })
  app.log.warn('recovering a turn that no task of this host runs')
  app.runs.add(hold.marker)
  try {
    await (isOwn ? settleOwn(app, turn, hold) : settleSeized(app, turn, hold))
  } catch (error) {
    app.log.error({ err: error }, 'could not recover a turn; trying again')
  } finally {
    app.runs.delete(hold.marker)
  }
}

async function settleOwn(app: App, turn: HeldTurn, hold: TurnHold): Promise<void> {
  await stopRemainingProcesses(turn, hold)
  await endTurn(app, hold, turn.session_id, await storeRemainingOutput(app, turn, hold))
}

/**
 * The disk of the other host cannot be read, so only stored entries are available. A turn without a recorded process was
 * not delivered: it is queued again. With one, this host cannot know whether the agent received the prompt, so it assumes
 * it did; the recovery prompt quotes the original prompt.
 */
async function settleSeized(app: App, turn: HeldTurn, hold: TurnHold): Promise<void> {
  if (turn.pid !== null) await recordReceipt(app.db, { sessionId: turn.session_id, owner: hold.owner })
  await endTurn(app, hold, turn.session_id, { kind: 'cut_short', isOnLostHost: true })
}

function holdOf(app: App, { id, run_marker: marker }: HeldTurn): TurnHold {
  if (marker === null) throw new Error(`turn ${id} is executing without a run marker`)
  return { turnId: id, owner: app.home.hostId, marker }
}

async function stopRemainingProcesses({ pid, pid_start_time }: HeldTurn, { marker }: TurnHold): Promise<void> {
  const identity = pid === null || pid_start_time === null ? undefined : { pid, startTime: pid_start_time }
  // At once: on SIGTERM some agents call the model once more, and record that the user rejected their tool call.
  await stopTree({ identity, marker, graceMs: 0 })
}

/** Returns how the turn ended: a file that is never read must not keep the turn from ending. */
async function storeRemainingOutput(app: App, turn: HeldTurn, hold: TurnHold): Promise<Outcome> {
  const session = await findSession(app.db, { id: turn.session_id })
  const runtime = app.runtimes.find(session.agent_runtime)
  const { working_directory: workingDirectory } = readMetadata(session)
  if (!runtime || session.session_id === null || workingDirectory === undefined) return { kind: 'cut_short' }
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  try {
    await progressRecorder(app, { hold, session, runtime, conversation: () => conversation })(true)
    return { kind: 'cut_short' }
  } catch (error) {
    if (error instanceof UntrustedFile) return untrustedFileFailure(error)
    throw error
  }
}
