import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session, SessionStatus } from '@yardmaster/contract/session'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { recordUncle } from '../hierarchy/hierarchy.ts'
import {
  acceptTurn,
  findNextWake,
  findStanding,
  hasPendingMessages,
  lineUp,
  type Message,
  type NewMessage,
  queueMessage,
  type TurnSource,
} from '../inbox/inbox.ts'
import { acceptNextMessage, changedGoal, resume } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import { lockSession, type SessionRow, showRow } from '../sessions/session.ts'
import { interrupt } from './interrupt.ts'

export type Saying = {
  prompt: string
  goal: string | null
  isImmediate: boolean
  /** Who says it, by its own word. */
  actingSessionId?: number | undefined
}
export type Heard = {
  session: Session
  delivery: 'sent' | 'queued' | 'interrupted'
  message?: Message
  /** A wake that is armed for the session; it stays so. */
  wake: { at: Date | null } | undefined
}

const conversing: readonly SessionStatus[] = ['running', 'waiting', 'needs_input']

/**
 * Says something to a session. Decided under its lock: at rest it is the next turn, while a turn is underway it waits in
 * the queue, and with `isImmediate` it takes the place of the running turn. Whichever way, it is a row before we answer.
 * Hundreds who speak at once share a few transactions, so that they neither queue for the lock nor use up connections.
 */
export async function followUp(app: App, ref: SessionRef, saying: Saying): Promise<Heard> {
  return app.together(`follow_up:${JSON.stringify(ref)}`, saying, (sayings) => hearAll(app, ref, sayings))
}

type Answer = Omit<Heard, 'session' | 'wake'>

async function hearAll(app: App, ref: SessionRef, sayings: readonly Saying[]): Promise<Heard[]> {
  return transact(app.db, async (tx) => {
    const answers: Answer[] = []
    for (const { first, others } of inTurn(sayings)) {
      const session = await lockSession(tx, ref)
      refuseUnlessConversing(session)
      answers.push(...(await hear(app, tx, session, first, others)))
    }
    const session = await showRow(app, tx, ref)
    for (const actingSessionId of new Set(sayings.map((saying) => saying.actingSessionId))) {
      await recordUncle(tx, { sessionId: session.id, actingSessionId, source: 'api_v1:sessions.follow_up' })
    }
    const wake = await findNextWake(tx, session.id)
    return answers.map((answer) => ({ ...answer, session, wake }))
  })
}

/** What will not wait is decided by itself; whatever was said between is decided together. */
function inTurn(sayings: readonly Saying[]): { first: Saying; others: Saying[] }[] {
  const parts: { first: Saying; others: Saying[] }[] = []
  for (const saying of sayings) {
    const last = parts.at(-1)
    if (last && !last.first.isImmediate && !saying.isImmediate) last.others.push(saying)
    else parts.push({ first: saying, others: [] })
  }
  return parts
}

async function hear(
  app: App,
  tx: Transaction,
  session: SessionRow,
  first: Saying,
  others: readonly Saying[],
): Promise<Answer[]> {
  if (first.isImmediate) {
    await interrupt(app, tx, session, await queueMessage(tx, session.id, asMessage(first)))
    return [{ delivery: 'interrupted' }]
  }
  const { underway } = await findStanding(tx, session.id)
  if (underway || (await hasPendingMessages(tx, session.id))) {
    const messages = await lineUp(app, tx, session, [first, ...others].map(asMessage))
    if (!underway) await deliverFirst(app, tx, session)
    return messages.map((message) => ({ delivery: 'queued', message }))
  }
  await deliver(app, tx, session, { ...first, source: 'follow_up' })
  const messages = await lineUp(app, tx, session, others.map(asMessage))
  return [{ delivery: 'sent' }, ...messages.map((message): Answer => ({ delivery: 'queued', message }))]
}

function asMessage({ prompt, goal }: Saying): NewMessage {
  return { content: prompt, goal }
}

/** The prompt is the session's next turn. */
export async function deliver(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { prompt, goal, source }: { prompt: string; goal: string | null; source: TurnSource },
): Promise<void> {
  const turnId = await acceptTurn(tx, { sessionId: session.id, source, prompt, goal })
  await resume(app, tx, session, turnId, { prompt, ...changedGoal(session, goal) })
  await note(app, tx, session.id, `A prompt was accepted (${source.replaceAll('_', ' ')}); its turn is queued.`)
}

/** Whoever was queued first goes first, also when the session rested with messages in its queue. */
export async function deliverFirst(app: App, tx: Transaction, session: SessionRow): Promise<void> {
  const next = await acceptNextMessage(app, tx, session)
  if (next) await resume(app, tx, session, next.turnId, next.goal === undefined ? {} : { goal: next.goal })
}

function refuseUnlessConversing({ status }: SessionRow): void {
  if (conversing.includes(status)) return
  refuse(
    'cannot_follow_up',
    `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
  )
}
