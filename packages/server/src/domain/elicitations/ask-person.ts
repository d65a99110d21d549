import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { ownNamespace } from '@yardmaster/contract/elicitations/fields'
import { limits } from '@yardmaster/contract/limits'
import { type Transact, transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { truncate } from '../../platform/truncate.ts'
import type { Question, QuestionAnswer } from '../../runtimes/question.ts'
import type { App } from '../app.ts'
import { lockSession, lockSessionIfThere } from '../sessions/session.ts'
import { close } from './close.ts'
import { recordDelivery, selectByRequestId, withdrawn } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { findByRequestId } from './find.ts'
import { raise, redactQuestion } from './raise.ts'

type Asking = {
  sessionId: number
  /** The run that asks. */
  marker: string
  question: Question
  /** Writes in the name of the run. Rejects once another host has its turn. */
  write: Transact
  /** Aborted when the agent no longer needs the answer. */
  signal: AbortSignal
}

/**
 * Asks a person for an agent of this host and waits. The answer is handed out once, to the run that asked: if the host dies in
 * between, the end of its turn reports the question as lost.
 */
export async function askPerson(app: App, asking: Asking): Promise<QuestionAnswer> {
  const row = await store(app, asking)
  const closed = await untilClosed(app, row, asking.signal)
  if (!closed) {
    await withdraw(app, row)
    return { action: 'cancel' }
  }
  if (!(await asking.write((tx) => recordDelivery(tx, row.id)))) return { action: 'cancel' }
  const { status, response_content: content } = closed
  return status === 'accept'
    ? { action: 'accept', content: content ?? {} }
    : { action: status === 'pending' ? 'cancel' : status }
}

async function store(app: App, { sessionId, marker, question: asked, write }: Asking): Promise<ElicitationRow> {
  const requestId = randomUUID()
  const question = await redactQuestion(app, {
    requestId,
    namespace: ownNamespace,
    message: truncate(asked.message, limits.elicitation.message, '…'),
    schema: asked.schema,
    meta: { [`${ownNamespace}/request-id`]: requestId, [`${ownNamespace}/session-id`]: String(sessionId) },
    toolName: asked.toolName,
    context: asked.context,
    claimedSession: undefined,
    expiresAt: undefined,
  })
  return write(async (tx) => {
    const session = await lockSession(tx, { id: sessionId })
    // An earlier attempt may have been committed, and only its answer lost.
    return (await selectByRequestId(tx, requestId)) ?? raise(app, tx, session, { question, askedBy: 'agent', marker })
  })
}

/** Behind the events, which may be lost, and for the expiry. */
const checkMs = 5000

/** Undefined if the agent no longer needs the answer. */
async function untilClosed(app: App, row: ElicitationRow, signal: AbortSignal): Promise<ElicitationRow | undefined> {
  const bell = new EventTarget()
  const stopFollowing = app.events.follow({
    onEvents: (events) => {
      if (events.some(({ session_id }) => session_id === row.session_id)) bell.dispatchEvent(new Event('ring'))
    },
    onClosed: () => undefined,
  })
  try {
    while (!signal.aborted) {
      // Listens before it reads, so that no answer is missed in between.
      const checkAt = AbortSignal.any([signal, AbortSignal.timeout(checkMs)])
      const change = once(bell, 'ring', { signal: checkAt }).catch(() => undefined)
      const current = await untilReachable(() => findByRequestId(app, row.request_id))
      if (current.status !== 'pending') return current
      await change
    }
    return undefined
  } finally {
    stopFollowing()
  }
}

async function withdraw(app: App, { id, session_id: sessionId }: ElicitationRow): Promise<void> {
  await untilReachable(() =>
    transact(app.db, async (tx) => {
      const session = await lockSessionIfThere(tx, { id: sessionId })
      if (session) await close(app, tx, session, { id, closing: withdrawn })
    }),
  )
}
