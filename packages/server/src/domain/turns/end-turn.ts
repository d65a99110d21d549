import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import {
  acceptTurn,
  type FailureReason,
  findHeldTurn,
  findStanding,
  releaseTurn,
  retireMessage,
  retireTurn,
  returnPrompt,
  type Turn,
  type TurnHold,
  wakeAdmission,
} from '../inbox/inbox.ts'
import { acceptNextMessage, recoveryPrompt, recoveryPromptAfterMove } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere, recordNextTurn, type SessionRow, transition } from '../sessions/session.ts'
import { settleSubagents } from '../subagents/subagent.ts'

/** Everything that can become of a turn somebody took. */
export type Outcome =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; reason: FailureReason; detail: string }
  /** Only the clone was asked for, and it is there. */
  | { kind: 'prepared' }
  /** We stopped or died before the agent was done. Out of reach: on a host whose disk cannot be asked. */
  | { kind: 'cut_short'; isOutOfReach?: boolean }
  /** The turn is no longer ours; whoever has it writes its end. */
  | { kind: 'lost' }

type Ending = { session: SessionRow; turn: Turn; hold: TurnHold }

/** One transaction: the turn's end, the session's status, and whatever comes next. Late writes touch nothing. */
export async function endTurn(app: App, hold: TurnHold, sessionId: number, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'lost') return
  await transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id: sessionId })
    const turn = session && (await findHeldTurn(tx, hold))
    if (!turn) return
    const ending = { session, turn, hold }
    if (turn.withdrawn_by !== null) await yieldToWithdrawal(app, tx, ending)
    else if (outcome.kind === 'cut_short') await continueLater(app, tx, ending, outcome)
    else await conclude(app, tx, ending, outcome)
    await settleSubagents(tx, sessionId, outcome.kind === 'failed' ? 'failed' : 'completed')
    await wakeAdmission(tx, sessionId)
  })
}

/** Whoever withdrew it has said what the session is now. A prompt the agent never saw goes back to the head of the queue. */
async function yieldToWithdrawal(app: App, tx: Transaction, ending: Ending): Promise<void> {
  const { session, turn, hold } = ending
  if (await isToGoOn(tx, ending)) return continueLater(app, tx, ending)
  await retireTurn(tx, hold, { outcome: 'interrupted' })
  const message = turn.started_at === null ? await returnPrompt(tx, turn) : undefined
  if (!message) {
    await note(app, tx, session.id, `The turn was ended by ${turn.withdrawn_by}.`)
    return
  }
  const isPutAway = turn.withdrawn_by === 'archive'
  if (isPutAway) await retireMessage(tx, message)
  const fate = isPutAway ? 'was not delivered' : 'is queued again'
  await note(
    app,
    tx,
    session.id,
    `The turn was ended by ${turn.withdrawn_by} before the agent had its prompt, which ${fate}.`,
  )
}

/**
 * A restart wants the turn itself to go on, unless something else waits. And who spoke before a paused agent had stopped
 * comes after the prompt that was kept from it, as if the agent had stopped sooner.
 */
async function isToGoOn(tx: Transaction, { session, turn }: Ending): Promise<boolean> {
  if (session.status !== 'waiting' || (turn.withdrawn_by !== 'restart' && turn.withdrawn_by !== 'pause')) return false
  const { hasQueued } = await findStanding(tx, session.id)
  return hasQueued ? turn.started_at === null && turn.prompt !== '' : turn.withdrawn_by === 'restart'
}

/** An agent that has its prompt is told to go on. One that never got it gets it as if for the first time. */
async function continueLater(
  app: App,
  tx: Transaction,
  { session, turn, hold }: Ending,
  { isOutOfReach = false }: { isOutOfReach?: boolean } = {},
): Promise<void> {
  await transition(app, tx, { sessionId: session.id, cause: 'turn_recovered', turnId: turn.id })
  if (turn.started_at === null) {
    await releaseTurn(tx, hold)
    await note(
      app,
      tx,
      session.id,
      'The turn was cut short before the agent had its prompt; it begins anew.',
      'warning',
    )
    return
  }
  await retireTurn(tx, hold, { outcome: 'interrupted' })
  const prompt = isOutOfReach ? promptAfterMove(turn) : recoveryPrompt
  const next = await acceptTurn(tx, { sessionId: session.id, source: 'recovery', prompt, goal: turn.goal })
  await recordNextTurn(tx, session.id, next)
  await note(app, tx, session.id, 'The turn was cut short; the agent is told to go on.', 'warning')
}

/** One that was itself about going on says already what there is to say. */
function promptAfterMove({ source, prompt }: Turn): string {
  return source === 'recovery' ? prompt : recoveryPromptAfterMove(prompt)
}

type Conclusion = Extract<Outcome, { kind: 'completed' | 'interrupted' | 'failed' | 'prepared' }>

/** Failures of one turn, after which the next has every chance. After any other the queue waits for a person. */
const passingFailures: readonly FailureReason[] = ['crash', 'agent_error']

async function conclude(
  app: App,
  tx: Transaction,
  { session, turn, hold }: Ending,
  outcome: Conclusion,
): Promise<void> {
  const failure =
    outcome.kind === 'failed' ? { failureReason: outcome.reason, error: app.redactor.text(outcome.detail) } : {}
  await retireTurn(tx, hold, { outcome: outcome.kind === 'prepared' ? 'completed' : outcome.kind, ...failure })
  if (outcome.kind === 'failed')
    await note(app, tx, session.id, `The turn failed (${outcome.reason}): ${outcome.detail}`, 'error')
  const mayGoOn = outcome.kind !== 'failed' || passingFailures.includes(outcome.reason)
  // A turn that only prepared the clone had no agent that could be seen running.
  const wasUnderway = session.status === 'running' || outcome.kind === 'prepared'
  if (mayGoOn && wasUnderway && (await handOver(app, tx, session, turn))) return
  await comeToRest(app, tx, session, turn, outcome)
}

/** What was accepted before goes first, then what was queued. The session never looks at rest in between. */
async function handOver(app: App, tx: Transaction, session: SessionRow, turn: Turn): Promise<boolean> {
  const { hasQueued } = await findStanding(tx, session.id)
  const next = hasQueued ? undefined : await acceptNextMessage(app, tx, session)
  if (!hasQueued && !next) return false
  await transition(app, tx, {
    sessionId: session.id,
    cause: session.status === 'running' ? 'turn_handed_over' : 'resume',
    turnId: turn.id,
    with: { running_job_id: next?.turnId ?? null, ...(next?.goal !== undefined && { goal: next.goal }) },
  })
  return true
}

async function comeToRest(
  app: App,
  tx: Transaction,
  session: SessionRow,
  turn: Turn,
  outcome: Conclusion,
): Promise<void> {
  const about = { sessionId: session.id, turnId: turn.id }
  if (outcome.kind === 'failed') {
    const metadata = { failure_reason: outcome.reason, exit_status: app.redactor.text(outcome.detail) }
    await transition(app, tx, { ...about, cause: 'turn_failed', with: { metadata } })
    return
  }
  await transition(app, tx, { ...about, cause: outcome.kind === 'prepared' ? 'prepared' : 'turn_ended' })
  if (session.metadata.pending_sleep === true) {
    await transition(app, tx, { ...about, cause: 'sleep' })
    await note(app, tx, session.id, 'Its turn has ended; it is asleep until somebody speaks to it.')
    return
  }
  await note(app, tx, session.id, 'Its turn has ended; it waits for input.')
}
