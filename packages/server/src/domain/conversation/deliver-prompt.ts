import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  acceptTurn,
  appendToQueue,
  findStanding,
  hasPendingMessages,
  type Message,
  type MessageOrigin,
  type NewMessage,
  queueMessage,
  type TurnSource,
} from '../inbox/inbox.ts'
import { acceptNextMessage, changedGoal, resume } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import { lockSession, readMetadata, type SessionRow } from '../sessions/session.ts'
import { interrupt } from './interrupt.ts'

export type Prompt = {
  prompt: string
  goal: string | null
  /** Takes the place of a live turn instead of waiting for its end. */
  isImmediate: boolean
  /** What the turn is recorded as when it starts at once. */
  source: TurnSource
  /** What the message is recorded as when it waits in the queue. */
  origin?: MessageOrigin
  /** The trigger whose prompt it is. */
  triggerId?: number
  /** Whether a person sent it. */
  isByPerson?: boolean
  /** The trace of the request, if it is not the one underway: several requests may share a transaction. */
  traceparent?: string | null
}

export type Delivery = { delivery: 'sent' | 'queued' | 'interrupted'; message?: Message }

/**
 * Delivers a prompt to a session inside the caller's transaction, decided under the session's row lock: a session at rest
 * gets it as its next turn, one with a live turn gets it in its queue, and an immediate one interrupts the live turn.
 */
export async function deliverPrompt(app: App, tx: Transaction, ref: SessionRef, prompt: Prompt): Promise<Delivery> {
  const [delivery] = await deliverPrompts(app, tx, ref, [prompt])
  if (!delivery) throw new Error('a prompt was delivered without an outcome')
  return delivery
}

/** As `deliverPrompt`, for several prompts in order. */
export async function deliverPrompts(
  app: App,
  tx: Transaction,
  ref: SessionRef,
  prompts: readonly Prompt[],
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  for (const { first, others } of splitAtImmediate(prompts)) {
    const session = await lockSession(tx, ref)
    refuseUnlessConversing(session)
    deliveries.push(...(await deliverGroup(app, tx, session, first, others)))
  }
  return deliveries
}

type Group = { first: Prompt; others: Prompt[] }

/** An immediate prompt is decided alone; prompts between two immediate ones are decided together. */
function splitAtImmediate(prompts: readonly Prompt[]): Group[] {
  const groups: Group[] = []
  for (const prompt of prompts) {
    const last = groups.at(-1)
    if (last && !last.first.isImmediate && !prompt.isImmediate) last.others.push(prompt)
    else groups.push({ first: prompt, others: [] })
  }
  return groups
}

async function deliverGroup(
  app: App,
  tx: Transaction,
  session: SessionRow,
  first: Prompt,
  others: readonly Prompt[],
): Promise<Delivery[]> {
  if (first.isImmediate) {
    await interrupt(app, tx, session, await queueMessage(tx, session.id, asMessage(first)))
    return [{ delivery: 'interrupted' }]
  }
  const isBusy = await hasTurnUnderway(tx, session)
  if (isBusy || (await hasPendingMessages(tx, session.id))) {
    const messages = await appendToQueue(app, tx, session, [first, ...others].map(asMessage))
    if (!isBusy) await startFirstQueued(app, tx, session)
    return messages.map((message) => ({ delivery: 'queued', message }))
  }
  await startTurn(app, tx, session, first)
  const messages = await appendToQueue(app, tx, session, others.map(asMessage))
  return [{ delivery: 'sent' }, ...messages.map((message): Delivery => ({ delivery: 'queued', message }))]
}

/** A turn that waits only for its dispatch is underway: a worker is about to take it. One that is held or paused is not. */
async function hasTurnUnderway(tx: Transaction, session: SessionRow): Promise<boolean> {
  const { underway, hasQueued } = await findStanding(tx, session.id)
  const { spot_hold_at: heldAt, spot_pause_at: pausedAt } = readMetadata(session)
  const isHeld = heldAt !== undefined || pausedAt !== undefined
  return underway !== undefined || (hasQueued && session.status === 'waiting' && !isHeld)
}

function asMessage({ prompt, goal, origin, triggerId, isByPerson = false, traceparent }: Prompt): NewMessage {
  return {
    content: prompt,
    goal,
    traceparent,
    isByPerson,
    ...(origin && { origin }),
    ...(triggerId !== undefined && { triggerId }),
  }
}

/** Makes the prompt the session's next turn. The caller holds the session's lock and has found it at rest. */
export async function startTurn(
  app: App,
  tx: Transaction,
  session: SessionRow,
  {
    prompt,
    goal,
    source,
    triggerId = null,
    isByPerson = false,
    traceparent,
  }: Pick<Prompt, 'prompt' | 'goal' | 'source' | 'isByPerson' | 'traceparent'> & { triggerId?: number | null },
): Promise<void> {
  const order = { source, prompt, goal, triggerId, isByPerson, traceparent }
  const turnId = await acceptTurn(tx, { sessionId: session.id, ...order })
  await resume(app, tx, session, turnId, { prompt, ...changedGoal(session, goal) })
  await note(app, tx, session.id, `A prompt was accepted (${source.replaceAll('_', ' ')}); its turn is queued.`)
}

/** Makes the first queued message of a resting session its next turn. */
export async function startFirstQueued(app: App, tx: Transaction, session: SessionRow): Promise<void> {
  const next = await acceptNextMessage(app, tx, session)
  if (next) await resume(app, tx, session, next.turnId, next.goal === undefined ? {} : { goal: next.goal })
}

const conversing: readonly SessionStatus[] = ['running', 'waiting', 'needs_input']

function refuseUnlessConversing({ status }: SessionRow): void {
  if (conversing.includes(status)) return
  refuse('cannot_follow_up', [
    `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
    status === 'failed'
      ? 'Restart it first: POST /sessions/{id}/restart.'
      : 'Unarchive it first: POST /sessions/{id}/unarchive.',
  ])
}
