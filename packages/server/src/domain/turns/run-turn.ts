import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Conversation, RunningTurn, Runtime } from '../../runtimes/runtime.ts'
import { type App, handleJob } from '../app.ts'
import { recordProcess } from '../inbox/inbox.ts'
import { lockSession, type SessionRow, transition, updateSession } from '../sessions/session.ts'
import { type Claim, takeTurn } from './claim.ts'
import { endTurn, type Outcome } from './end-turn.ts'
import { prepare } from './prepare.ts'
import { transcriptReader } from './read-transcripts.ts'
import { runTurnJob } from './run-turn-job.ts'
import { supervise } from './supervise.ts'
import { TurnFailed } from './turn-failed.ts'

/**
 * Takes a dispatched turn and lets it run in the background of this host: the row with its lease says that it lives, not
 * the job. Whoever comes second finds the turn taken and leaves.
 */
export const runTurn = handleJob(runTurnJob, async ({ turnId }, app) => {
  const claim = await takeTurn(app, { turnId, owner: app.home.hostId })
  if (!claim) return
  app.background.run('a turn', async (signal) => {
    const outcome = await perform(app, claim, signal)
    await untilReachable(() => endTurn(app, claim, outcome))
  })
})

/** Always comes to an outcome: a fault of ours ends the turn as failed and is logged, it never strands the session. */
async function perform(app: App, claim: Claim, signal: AbortSignal): Promise<Outcome> {
  try {
    const runtime = findRuntime(app, claim.session)
    const conversation = await prepareUnlessStopping(app, claim, runtime, signal)
    return conversation ? await runAgent(app, claim, { runtime, conversation, signal }) : { kind: 'cut_short' }
  } catch (error) {
    if (error instanceof TurnFailed) return { kind: 'failed', reason: error.reason, detail: error.message }
    app.log.error(
      { sessionId: claim.session.id, turnId: claim.hold.turnId, err: error },
      'a turn failed by a fault of ours',
    )
    return {
      kind: 'failed',
      reason: 'exception',
      detail: 'Something went wrong on our side; the server log has the details.',
    }
  }
}

/** Undefined when we are told to stop; whatever went wrong by then went wrong because of that. */
async function prepareUnlessStopping(
  app: App,
  { session }: Claim,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Conversation | undefined> {
  try {
    const conversation = await untilReachable(() => prepare(app, session, runtime, signal))
    return signal.aborted ? undefined : conversation
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** An agent that was started is never left alone: if we cannot stay with it, it is stopped. */
async function runAgent(
  app: App,
  claim: Claim,
  { runtime, conversation, signal }: { runtime: Runtime; conversation: Conversation; signal: AbortSignal },
): Promise<Outcome> {
  const { hold, session } = claim
  const activity = new EventTarget()
  const running = await start(claim, runtime, conversation, () => activity.dispatchEvent(new Event('activity')))
  // Supervision hears of it; until then, or without it, it must only not go unheard.
  running.ended.catch(() => undefined)
  try {
    if (!(await recordRunning(app, claim, running))) return { kind: 'lost' }
    const read = transcriptReader(app, { hold, sessionId: session.id, runtime, conversation, isReceived: false })
    return await supervise(app, claim, { running, read, activity, signal })
  } catch (error) {
    await running.interrupt()
    throw error
  }
}

function findRuntime(app: App, session: SessionRow): Runtime {
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime)
    throw new TurnFailed('spawn_failed', `The runtime ${session.agent_runtime} is not registered on this host.`)
  return runtime
}

async function start(
  { turn, session, marker }: Claim,
  runtime: Runtime,
  conversation: Conversation,
  onActivity: () => void,
): Promise<RunningTurn> {
  const model = String(session.config.model)
  try {
    return await runtime.start({ conversation, prompt: turn.prompt, goal: turn.goal, model, marker, onActivity })
  } catch (error) {
    if (error instanceof SpawnFailed) throw new TurnFailed('spawn_failed', error.message)
    throw error
  }
}

/** The process is up: now the session runs. False when the turn is no longer ours; the agent is then stopped. */
async function recordRunning(app: App, { hold, session }: Claim, running: RunningTurn): Promise<boolean> {
  const isOurs = await untilReachable(() =>
    transact(app.db, async (tx) => {
      if (!(await recordProcess(tx, hold, running.identity))) return false
      const { status } = await lockSession(tx, session)
      // It runs already if this was committed and only the answer got lost.
      if (status !== 'running')
        await transition(app, tx, { sessionId: session.id, cause: 'turn_started', turnId: hold.turnId })
      await updateSession(tx, session.id, { metadata: { runtime_started: true, process_pid: running.identity.pid } })
      return true
    }),
  )
  if (!isOurs) await running.interrupt()
  return isOurs
}
