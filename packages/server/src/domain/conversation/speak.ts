import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session, SessionStatus } from '@yardmaster/contract/session'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  acceptTurn,
  findStanding,
  hasPendingMessages,
  type Message,
  queueMessage,
  type TurnSource,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { acceptNextMessage, changedGoal, lockSession, resume, type SessionRow, showRow } from '../sessions/session.ts'
import { interrupt } from './interrupt.ts'

export type Saying = { prompt: string; goal: string | null; isImmediate: boolean }
export type Heard = { session: Session; delivery: 'sent' | 'queued' | 'interrupted'; message?: Message }

const conversing: readonly SessionStatus[] = ['running', 'waiting', 'needs_input']

/**
 * Says something to a session. Decided under its lock: at rest it is the next turn, while a turn is underway it waits in
 * the queue, and with `isImmediate` it takes the place of the running turn. Whichever way, it is a row before we answer.
 */
export async function followUp(app: App, ref: SessionRef, saying: Saying): Promise<Heard> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    refuseUnlessConversing(session)
    const heard = await hear(app, tx, session, saying)
    return { ...heard, session: await showRow(app, tx, { id: session.id }) }
  })
}

async function hear(app: App, tx: Transaction, session: SessionRow, saying: Saying): Promise<Omit<Heard, 'session'>> {
  if (saying.isImmediate) {
    const staged = await queue(tx, session, saying)
    await interrupt(app, tx, session, staged)
    return { delivery: 'interrupted' }
  }
  const { underway } = await findStanding(tx, session.id)
  if (underway || (await hasPendingMessages(tx, session.id))) {
    const message = await queue(tx, session, saying)
    await note(app, tx, session.id, `A message was queued at position ${message.position}.`)
    if (!underway) await deliverFirst(app, tx, session)
    return { delivery: 'queued', message }
  }
  await deliver(app, tx, session, { ...saying, source: 'follow_up' })
  return { delivery: 'sent' }
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

function queue(tx: Transaction, session: SessionRow, { prompt, goal }: Saying): Promise<Message> {
  return queueMessage(tx, { sessionId: session.id, content: prompt, goal })
}

function refuseUnlessConversing({ status }: SessionRow): void {
  if (conversing.includes(status)) return
  refuse(
    'cannot_follow_up',
    `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
  )
}
