import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Conversation, RunningTurn, Runtime } from '../../runtimes/runtime.ts'
import { type App, handleJob } from '../app.ts'
import { recordStart } from '../inbox/inbox.ts'
import { type SessionRow, transition, updateSession } from '../sessions/session.ts'
import { type Claim, takeTurn } from './claim.ts'
import { endTurn, type Outcome } from './end-turn.ts'
import { prepare } from './prepare.ts'
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
    const conversation = await untilReachable(() => prepare(app, claim.session, runtime, signal))
    const activity = new EventTarget()
    const running = await start(claim, runtime, conversation, () => activity.dispatchEvent(new Event('activity')))
    if (!(await recordRunning(app, claim, running))) return { kind: 'lost' }
    return await supervise(app, claim, { runtime, conversation, running, activity, signal })
  } catch (error) {
    if (signal.aborted) return { kind: 'not_begun' }
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
      if (!(await recordStart(tx, hold, running.identity))) return false
      await transition(app, tx, { sessionId: session.id, cause: 'turn_started', turnId: hold.turnId })
      await updateSession(tx, session.id, { metadata: { runtime_started: true, process_pid: running.identity.pid } })
      return true
    }),
  )
  if (!isOurs) await running.interrupt()
  return isOurs
}
