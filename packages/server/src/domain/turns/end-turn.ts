import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { truncateMiddle } from '../../platform/truncate.ts'
import type { AccountSignal } from '../../runtimes/accounts/vendor-accounts.ts'
import type { OutageReason } from '../accounts/account.ts'
import type { App } from '../app.ts'
import type { ServerToAuthorize } from '../catalog/catalog.ts'
import { dollarsOfSpans } from '../costs/cost.ts'
import { settleRun } from '../elicitations/elicitation.ts'
import { turnEnded } from '../inbox/events.ts'
import {
  acceptTurn,
  type FailureReason,
  findHeldTurn,
  findStanding,
  releaseFailedTurn,
  releaseTurn,
  retireMessage,
  retireTurn,
  returnPrompt,
  returnQueuedTurns,
  startRetryDelaysSeconds,
  type Turn,
  type TurnHold,
  type TurnResult,
  wakeAdmission,
  wakeAdmissionAfter,
} from '../inbox/inbox.ts'
import { acceptNextMessage, newAccountPrompt, recoveryPrompt, recoveryPromptAfterMove } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import {
  lockSession,
  lockSessionIfThere,
  readMetadata,
  recordAccount,
  recordNextTurn,
  type SessionRow,
  transition,
  transitionIfItApplies,
} from '../sessions/session.ts'
import { endRunningSubagents } from '../subagents/subagent.ts'

/** How a claimed turn can end. */
export type Outcome =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  /**
   * `isFinal`: starting the turn again would fail the same way, or might deliver the prompt twice. `toAuthorize`: the servers that
   * a person must authorize first.
   */
  | {
      kind: 'failed'
      reason: FailureReason
      detail: string
      isFinal?: boolean
      signal?: AccountSignal
      toAuthorize?: ServerToAuthorize[]
    }
  /** The turn had no prompt: it only prepared the clone. */
  | { kind: 'prepared' }
  /** The host stopped or died before the agent finished. `isOnLostHost`: the transcript file there cannot be read. */
  | { kind: 'cut_short'; isOnLostHost?: boolean }
  /** The account that served the turn failed, and another one or a fresh login serves now. */
  | { kind: 'rotated'; sentence: string }
  /** No vendor account can serve: the turn waits for the pool. */
  | { kind: 'outage'; reason: OutageReason; recoversAt: Date | null }
  /** Another host owns the turn now and writes its end, or the session was deleted. */
  | { kind: 'lost' }

const kinds: Record<Outcome['kind'], true> = {
  completed: true,
  interrupted: true,
  failed: true,
  prepared: true,
  cut_short: true,
  rotated: true,
  outage: true,
  lost: true,
}
export const outcomeKinds = Object.keys(kinds)

/** The agent's files cannot be read, so its prompt is not sent again by itself. */
export function untrustedFileFailure({ message }: UntrustedFile): Outcome {
  const detail = `A file of the session is not used: ${message}.`
  return { kind: 'failed', reason: 'agent_error', detail, isFinal: true }
}

type Ending = { session: SessionRow; turn: Turn; hold: TurnHold }

/**
 * Writes the turn's end, the session's status and the next turn in one transaction. A late write changes nothing. If a
 * request changed the session's status meanwhile, the turn ends all the same and that status stays.
 */
export async function endTurn(app: App, hold: TurnHold, sessionId: number, unredacted: Outcome): Promise<void> {
  if (unredacted.kind === 'lost') return
  const outcome = await presentable(app, unredacted)
  await transact(app.db, async (tx) => {
    const found = await lockSessionIfThere(tx, { id: sessionId })
    const turn = found && (await findHeldTurn(tx, hold))
    if (!turn) return
    const isSpared = outcome.kind === 'completed' && (await spareCompleted(app, tx, found, turn))
    const session = isSpared ? await lockSession(tx, { id: sessionId }) : found
    const isWithdrawn = turn.withdrawn_by !== null && !isSpared
    const ending = { session: await settleRun(app, tx, session, { ...hold, isWithdrawn }), turn, hold }
    if (isWithdrawn) await endWithdrawn(app, tx, ending)
    else if (isContinued(outcome)) await continueLater(app, tx, ending, outcome)
    else await conclude(app, tx, ending, outcome)
    await endRunningSubagents(tx, sessionId, outcome.kind === 'failed' ? 'failed' : 'completed')
    await wakeAdmission(tx, sessionId)
  })
}

type Continuation = Extract<Outcome, { kind: 'cut_short' | 'rotated' | 'outage' }>

function isContinued(outcome: Exclude<Outcome, { kind: 'lost' }>): outcome is Continuation {
  return outcome.kind === 'cut_short' || outcome.kind === 'rotated' || outcome.kind === 'outage'
}

/** Ends the turn, and tells what it cost. */
async function retire(app: App, tx: Transaction, { session, turn, hold }: Ending, result: TurnResult): Promise<void> {
  await retireTurn(tx, hold, result)
  const from = turn.dispatched_at ?? turn.created_at
  const [cost = 0] = await dollarsOfSpans({ db: tx, prices: app.prices }, session.id, [{ from, to: null }])
  await app.events.publish(tx, turnEnded, {
    sessionId: session.id,
    payload: { turn: turn.sequence, outcome: result.outcome, cost_usd: cost },
  })
}

/** A budget or a quota target that ends a turn whose agent has completed it comes too late: to continue would be to do the work again. */
async function spareCompleted(app: App, tx: Transaction, session: SessionRow, turn: Turn): Promise<boolean> {
  if (turn.withdrawn_by !== 'restart' || !limitThatStopped(session)) return false
  return transitionIfItApplies(app, tx, { sessionId: session.id, cause: 'withdrawn_too_late', turnId: turn.id })
}

function limitThatStopped(session: SessionRow): string | undefined {
  const { stopped_by_budget: isByBudget, spot_pause_at: pausedAt } = readMetadata(session)
  if (isByBudget) return 'a budget'
  return pausedAt === undefined ? undefined : 'a quota target'
}

/** The withdrawing request has set the session's status. A prompt that the agent never received returns to the queue. */
async function endWithdrawn(app: App, tx: Transaction, ending: Ending): Promise<void> {
  const { session, turn } = ending
  if (await shouldContinue(tx, ending)) return continueLater(app, tx, ending)
  await retire(app, tx, ending, { outcome: 'interrupted' })
  const message = turn.started_at === null ? await returnPrompt(tx, turn) : undefined
  if (!message) {
    await note(app, tx, session.id, `The turn was ended by ${limitThatStopped(session) ?? turn.withdrawn_by}.`)
    return
  }
  const isArchived = turn.withdrawn_by === 'archive'
  if (isArchived) await retireMessage(tx, message)
  const consequence = isArchived ? 'was not delivered' : 'is queued again'
  await note(
    app,
    tx,
    session.id,
    `The turn was ended by ${turn.withdrawn_by} before the agent received the prompt. The prompt ${consequence}.`,
  )
}

/**
 * A restart continues the turn itself, unless other turns are queued. A follow-up that arrived while a paused agent was
 * stopping runs after the prompt that the agent did not receive, as if the agent had stopped sooner.
 */
async function shouldContinue(tx: Transaction, { session, turn }: Ending): Promise<boolean> {
  if (session.status !== 'waiting' || (turn.withdrawn_by !== 'restart' && turn.withdrawn_by !== 'pause')) return false
  const { hasQueued } = await findStanding(tx, session.id)
  return hasQueued ? turn.started_at === null && turn.prompt !== '' : turn.withdrawn_by === 'restart'
}

/** If the agent received the prompt, a recovery turn asks it to continue. Otherwise the same turn is queued again. */
async function continueLater(
  app: App,
  tx: Transaction,
  ending: Ending,
  outcome: Continuation = { kind: 'cut_short' },
): Promise<void> {
  const { session, turn, hold } = ending
  const { why, prompt } = continuationOf(turn, outcome)
  if (outcome.kind === 'outage') await park(app, tx, session.id, outcome)
  await transitionIfItApplies(app, tx, { sessionId: session.id, cause: 'turn_recovered', turnId: turn.id })
  if (turn.started_at === null) {
    await releaseTurn(tx, hold)
    await note(app, tx, session.id, `${why} before the agent received the prompt. It is queued again.`, 'warning')
    return
  }
  await retire(app, tx, ending, { outcome: 'interrupted' })
  const { goal, traceparent, is_by_person: isByPerson } = turn
  const order = { source: 'recovery' as const, prompt, goal, traceparent, isByPerson }
  const next = await acceptTurn(tx, { sessionId: session.id, ...order })
  await recordNextTurn(tx, session.id, next)
  await note(app, tx, session.id, `${why}. A recovery turn asks the agent to continue.`, 'warning')
}

async function park(
  app: App,
  tx: Transaction,
  sessionId: number,
  { reason, recoversAt }: Extract<Outcome, { kind: 'outage' }>,
): Promise<void> {
  await recordAccount(tx, sessionId, {
    auth_outage_reason: reason,
    auth_outage_parked_at: formatTimestamp(app.clock.now()),
    ...(recoversAt && { auth_outage_pool_recovers_at: formatTimestamp(recoversAt) }),
  })
}

/** What the log says, and what the agent is told if it has its prompt already. */
function continuationOf(turn: Turn, outcome: Continuation): { why: string; prompt: string } {
  if (outcome.kind === 'rotated')
    return { why: `${outcome.sentence} The turn was stopped by the account that served it`, prompt: newAccountPrompt }
  if (outcome.kind === 'outage') {
    const until = outcome.recoversAt ? `, expected at ${formatTimestamp(outcome.recoversAt)}` : ''
    const why = `No account can serve (${outcome.reason}). The session waits for one${until}. The turn was stopped`
    return { why, prompt: newAccountPrompt }
  }
  const prompt = outcome.isOnLostHost ? promptAfterMove(turn) : recoveryPrompt
  return { why: 'The turn was interrupted', prompt }
}

/** The prompt of a recovery turn already contains the instructions. */
function promptAfterMove({ source, prompt }: Turn): string {
  return source === 'recovery' ? prompt : recoveryPromptAfterMove(prompt)
}

type Conclusion = Extract<Outcome, { kind: 'completed' | 'interrupted' | 'failed' | 'prepared' }>

/** Failures that concern one turn only: the next one is started. After any other, the queue waits for a restart. */
const transientFailures: readonly FailureReason[] = ['crash', 'agent_error']

async function conclude(app: App, tx: Transaction, ending: Ending, outcome: Conclusion): Promise<void> {
  const { session, turn } = ending
  const isUndelivered = turn.started_at === null && turn.prompt !== '' && outcome.kind !== 'completed'
  if (outcome.kind === 'failed' && isUndelivered && (await startAgain(app, tx, ending, outcome))) return
  const failure = outcome.kind === 'failed' ? { failureReason: outcome.reason, error: outcome.detail } : {}
  await retire(app, tx, ending, { outcome: outcome.kind === 'prepared' ? 'completed' : outcome.kind, ...failure })
  if (outcome.kind === 'failed')
    await note(app, tx, session.id, `The turn failed (${outcome.reason}): ${outcome.detail}`, 'error')
  if (isUndelivered) await returnUndelivered(app, tx, ending)
  const mayContinue = (outcome.kind !== 'failed' || transientFailures.includes(outcome.reason)) && !isUndelivered
  // A turn that only prepared the clone had no agent, so its session never became `running`.
  const wasUnderway = session.status === (outcome.kind === 'prepared' ? 'waiting' : 'running')
  if (mayContinue && wasUnderway && (await handOver(app, tx, session, turn))) return
  await comeToRest(app, tx, session, turn, outcome)
}

/** In characters. The start names the failure, the end says what to do. */
const maxDetail = 4000

/** Redact before truncating: a truncated secret no longer matches its pattern. Done before the transaction: it may take a while. */
async function presentable<Any extends Outcome>(app: App, outcome: Any): Promise<Any> {
  if (outcome.kind !== 'failed') return outcome
  return { ...outcome, detail: truncateMiddle(await app.redactor.text(outcome.detail), maxDetail) }
}

/** Failures that may not happen again. A missing program or a refused key fails the same way every time. */
const retriedFailures: readonly FailureReason[] = ['crash', 'agent_error', 'overloaded', 'exception']

/**
 * Queues a turn again whose agent failed before it received the prompt. False if it was started often enough, or if a
 * person has to decide by a restart.
 */
async function startAgain(
  app: App,
  tx: Transaction,
  { session, turn, hold }: Ending,
  { reason, detail, isFinal = false }: Extract<Outcome, { kind: 'failed' }>,
): Promise<boolean> {
  const isRetried = retriedFailures.includes(reason) && !isFinal
  const delaySeconds = isRetried ? startRetryDelaysSeconds[turn.failed_starts] : undefined
  if (delaySeconds === undefined) return false
  const isWaiting = await transitionIfItApplies(app, tx, {
    sessionId: session.id,
    cause: 'turn_recovered',
    turnId: turn.id,
  })
  if (!isWaiting) return false
  await releaseFailedTurn(tx, hold, delaySeconds)
  await wakeAdmissionAfter(tx, turn.id, delaySeconds)
  const sentence = `The turn failed before the agent received the prompt (${reason}): ${detail}`
  await note(app, tx, session.id, `${sentence} It starts again in ${delaySeconds} s.`, 'warning')
  return true
}

/** Queued turns were accepted after this prompt, so they go back to the queue behind it. */
async function returnUndelivered(app: App, tx: Transaction, { session, turn }: Ending): Promise<void> {
  await returnQueuedTurns(tx, session.id, null)
  if (!(await returnPrompt(tx, turn))) return
  await note(app, tx, session.id, 'The agent did not receive the prompt, which is queued again.', 'warning')
}

/** Queued turns go before queued messages. The session is never shown at rest in between. */
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
    const { toAuthorize } = outcome
    const metadata = {
      failure_reason: outcome.reason,
      exit_status: outcome.detail,
      ...(toAuthorize && { oauth_required_servers: toAuthorize }),
    }
    await transitionIfItApplies(app, tx, { ...about, cause: 'turn_failed', with: { metadata } })
    return
  }
  const cause = outcome.kind === 'prepared' ? 'prepared' : 'turn_ended'
  if (!(await transitionIfItApplies(app, tx, { ...about, cause }))) {
    await note(app, tx, session.id, `The turn ended; the session stays ${session.status}.`)
    return
  }
  if (readMetadata(session).pending_sleep) {
    await transition(app, tx, { ...about, cause: 'sleep' })
    await note(app, tx, session.id, 'The turn ended; the session sleeps until it gets a prompt.')
    return
  }
  await note(app, tx, session.id, 'The turn ended; the session needs input.')
}
