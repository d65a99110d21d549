import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Equipment } from '../../runtimes/equipment.ts'
import type { Conversation, RunningTurn, Runtime, TurnOrder } from '../../runtimes/runtime.ts'
import { type App, handleJob } from '../app.ts'
import { findHeldTurn, recordProcess } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import {
  isSessionGone,
  lockSession,
  recordAgentProcess,
  recordConversation,
  type SessionRow,
  transition,
} from '../sessions/session.ts'
import { equipmentOf, openWorkspace, removeSessionFiles, WorkspaceFailed } from '../workspaces/workspace.ts'
import { type Claim, takeTurn } from './claim.ts'
import { endTurn, type Outcome } from './end-turn.ts'
import { keepLease, type Lease } from './lease-renewal.ts'
import { transcriptReader } from './progress-recorder.ts'
import { runTurnJob } from './run-turn-job.ts'
import { supervise } from './supervise.ts'
import { TurnFailed } from './turn-failed.ts'

/**
 * Takes a dispatched turn and lets it run in the background of this host: the row with its lease says that it lives, not
 * the job. Whoever comes second finds the turn taken and leaves.
 */
export const runTurn = handleJob(runTurnJob, async (payload, app) => {
  const claim = await takeTurn(app, payload)
  if (!claim) return
  app.background.run('a turn', async (signal) => {
    const lease = keepLease(app, claim)
    const startedAt = performance.now()
    try {
      const outcome = await perform(app, claim, { lease, signal })
      await untilReachable(() => endTurn(app, claim.hold, claim.session.id, outcome))
      app.metrics.turnSeconds.observe({ outcome: outcome.kind }, (performance.now() - startedAt) / 1000)
      if (outcome.kind === 'failed') tellOfFailure(app, claim, outcome.reason)
      await untilReachable(() => tidyUpAfterDeletion(app, claim.session.id))
    } finally {
      lease.stop()
    }
  })
})

/** The session's own log has the whole story; whoever watches the server should know that there is one. */
function tellOfFailure(app: App, { hold, session }: Claim, reason: string): void {
  app.log.warn({ sessionId: session.id, turnId: hold.turnId, reason }, 'a turn failed')
}

/** What a turn may have to end for: it is no longer wanted here, or this host drains. */
type Bounds = { lease: Lease; signal: AbortSignal }

/** Always comes to an outcome: a fault of ours ends the turn as failed and is logged, it never strands the session. */
async function perform(app: App, claim: Claim, bounds: Bounds): Promise<Outcome> {
  if (claim.turn.withdrawn_by !== null) return { kind: 'interrupted' }
  try {
    const runtime = findRuntime(app, claim.session)
    const conversation = await prepareUnlessStopping(app, claim, runtime, bounds)
    if (!conversation) return { kind: 'cut_short' }
    const equipment = await equip(app, claim, runtime, conversation)
    if (claim.turn.prompt === '') return { kind: 'prepared' }
    return await runAgent(app, claim, { runtime, conversation, equipment, ...bounds })
  } catch (error) {
    if (error instanceof TurnFailed) return { kind: 'failed', reason: error.reason, detail: error.message }
    // Deleted meanwhile, so that nothing of it could be written: there is nobody left to tell.
    if (await untilReachable(() => isSessionGone(app.db, claim.session.id))) return { kind: 'lost' }
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
  { lease, signal }: Bounds,
): Promise<Conversation | undefined> {
  const mustStop = AbortSignal.any([signal, lease.signal])
  try {
    const { conversation } = await untilReachable(() => openWorkspace(app, session, runtime, mustStop))
    return mustStop.aborted ? undefined : conversation
  } catch (error) {
    if (mustStop.aborted) return undefined
    if (error instanceof WorkspaceFailed) throw new TurnFailed(error.reason, error.message)
    throw error
  }
}

/** What is chosen for the session is put where its agent finds it. What cannot be is told, and does not keep it from working. */
async function equip(
  app: App,
  { turn, session, key }: Claim,
  runtime: Runtime,
  conversation: Conversation,
): Promise<Equipment> {
  const { equipment, leftOut } = await equipmentOf(app, session, { goal: turn.goal || session.goal, key })
  const unfit = await runtime.equip(conversation, equipment)
  for (const sentence of [...leftOut, ...unfit]) tell(app, session.id, sentence)
  return equipment
}

type Agent = { runtime: Runtime; conversation: Conversation; equipment: Equipment }

/** An agent that was started is never left alone: if we cannot stay with it, it is stopped. */
async function runAgent(
  app: App,
  claim: Claim,
  { runtime, conversation: opened, equipment, ...bounds }: Bounds & Agent,
): Promise<Outcome> {
  const { hold, session } = claim
  const activity = new EventTarget()
  let conversation = opened
  const started = await start(app, claim, runtime, {
    conversation,
    equipment,
    onActivity: () => activity.dispatchEvent(new Event('activity')),
    onNamed: async (id) => {
      conversation = { ...conversation, id }
      await untilReachable(() => transact(app.db, (tx) => recordConversation(tx, session.id, id)))
    },
  })
  if ('outcome' in started) return started.outcome
  const { running } = started
  running.ended.catch(() => undefined) // heard when we wait for it, which may be after it failed
  try {
    const read = transcriptReader(app, { hold, session, runtime, conversation: () => conversation, isReceived: false })
    return await supervise(app, { running, read, activity, ...bounds })
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

/** Nobody wants the agent any more: somebody else has the turn by now, or has ended it. */
class Unwanted extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(`the turn is ${outcome.kind}`)
    this.outcome = outcome
  }
}

/** The agent at work; or what became of the turn before its agent had anything. */
async function start(
  app: App,
  claim: Claim,
  runtime: Runtime,
  order: Pick<TurnOrder, 'conversation' | 'equipment' | 'onActivity' | 'onNamed'>,
): Promise<{ running: RunningTurn } | { outcome: Outcome }> {
  const { turn, session, hold } = claim
  try {
    const running = await runtime.start({
      ...order,
      prompt: turn.prompt,
      model: String(session.config.model),
      marker: hold.marker,
      onUp: async (identity) => {
        const outcome = await recordRunning(app, claim, identity)
        if (outcome) throw new Unwanted(outcome)
      },
      onNotice: (sentence) => tell(app, session.id, sentence),
    })
    return { running }
  } catch (error) {
    if (error instanceof Unwanted) return { outcome: error.outcome }
    if (error instanceof SpawnFailed) throw new TurnFailed('spawn_failed', error.message)
    throw error
  }
}

/**
 * The process is up: now the session runs, and the agent may get its prompt. An outcome when it may not: a turn that was
 * withdrawn while its agent came up never runs, or the session would run without one.
 */
async function recordRunning(
  app: App,
  { hold, session }: Claim,
  identity: ProcessIdentity,
): Promise<Outcome | undefined> {
  return untilReachable(() =>
    transact(app.db, async (tx) => {
      const { status } = await lockSession(tx, session)
      const turn = await findHeldTurn(tx, hold)
      if (!turn) return { kind: 'lost' } as const
      if (turn.withdrawn_by !== null) return { kind: 'interrupted' } as const
      await recordProcess(tx, hold, identity)
      await recordAgentProcess(tx, session.id, identity.pid)
      // Anything else: this was committed, and only the answer got lost.
      if (status !== 'waiting') return undefined
      await transition(app, tx, { sessionId: session.id, cause: 'turn_started', turnId: hold.turnId })
      await note(app, tx, session.id, `Its agent is at work (process ${identity.pid}).`)
      return undefined
    }),
  )
}

/** Cut only when it is redacted: half a secret is not recognised as one. */
function tell(app: App, sessionId: number, said: string): void {
  const sentence = shortened(app.redactor.text(said))
  untilReachable(() => transact(app.db, (tx) => note(app, tx, sessionId, sentence, 'warning'))).catch(
    (error: unknown) => app.log.warn({ sessionId, err: error }, 'a notice of an agent could not be written down'),
  )
}

function shortened(text: string): string {
  return text.length <= maxNoticeCharacters ? text : `${text.slice(0, maxNoticeCharacters)}…`
}

const maxNoticeCharacters = 1000

/** A session that was deleted meanwhile may have got its folders back from us after they were removed. */
async function tidyUpAfterDeletion(app: App, sessionId: number): Promise<void> {
  if (await isSessionGone(app.db, sessionId)) await removeSessionFiles(app, sessionId)
}
