import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { ownNamespace } from '@yardmaster/contract/elicitations/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import { type Transact, transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { readExactObject } from '../../platform/http/json-body.ts'
import { Refusal } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { Question, QuestionAnswer } from '../../runtimes/question.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { lockSession, lockSessionIfThere } from '../sessions/session.ts'
import { close } from './close.ts'
import { recordDelivery, selectByRequestId, withdrawn } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { findByRequestId } from './find.ts'
import { raise, redactQuestion, type Question as StoredQuestion } from './raise.ts'
import { summaryOf } from './summary.ts'

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
  const question = await questionOf(app, asking)
  if (!question) return declineUnasked(app, asking)
  const row = await store(app, asking, question)
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

/** Undefined if people cannot be asked this: its form is too large, or holds what cannot be stored. */
async function questionOf(app: App, { sessionId, question: asked }: Asking): Promise<StoredQuestion | undefined> {
  const schema = storable(asked.schema)
  if (!schema) return undefined
  const requestId = randomUUID()
  const question = await redactQuestion(app, {
    requestId,
    namespace: ownNamespace,
    message: storableText(asked.message),
    schema,
    meta: { [`${ownNamespace}/request-id`]: requestId, [`${ownNamespace}/session-id`]: String(sessionId) },
    toolName: asked.toolName && storableText(asked.toolName),
    context: asked.context && storableText(asked.context),
    claimedSession: undefined,
    expiresAt: undefined,
  })
  // Redacted before it is cut: half of a secret no longer matches its pattern.
  const input = asked.input === undefined ? undefined : await app.redactor.text(asked.input)
  const shown = input !== undefined && input.length <= maxInput ? input : undefined
  return {
    ...question,
    message: fitting(question.message, { isInputShown: shown !== undefined, hasInput: input !== undefined }),
    meta: { ...question.meta, ...(shown !== undefined && { [inputKey]: shown }) },
  }
}

/** All that accepting grants, beside a message that may be cut. */
const inputKey = `${ownNamespace}/input`
const maxInput = limits.elicitation.objectCharacters - 1000

/** A person must know when the message is not all that accepting grants. */
function fitting(message: string, { isInputShown, hasInput }: { isInputShown: boolean; hasInput: boolean }): string {
  const text = message.trim() === '' ? 'The agent asks for your answer.' : message
  const rest = isInputShown ? `all of it is in the meta under ${inputKey}` : 'the rest is too long to be shown'
  const warning = `\n[Cut: ${text.length} characters; ${rest}]`
  const isWhole = truncate(text, limits.elicitation.message, '') === text && isInputShown === hasInput
  return isWhole ? text : truncate(text, limits.elicitation.message - warning.length, '…') + warning
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

function storable(schema: JsonObject): JsonObject | undefined {
  try {
    const text = JSON.stringify(schema)
    if (text.length > limits.elicitation.objectCharacters) return undefined
    return readExactObject(text, 'The form') as JsonObject // it was one
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return undefined
    throw error
  }
}

async function declineUnasked(app: App, { sessionId, question, write }: Asking): Promise<QuestionAnswer> {
  const message = await app.redactor.text(storableText(question.message))
  const sentence = `A question was declined because its form is too large or cannot be stored: ${summaryOf({ message })}`
  await write((tx) => note(app, tx, sessionId, sentence, 'warning'))
  return { action: 'decline' }
}

async function store(
  app: App,
  { sessionId, marker, write }: Asking,
  question: StoredQuestion,
): Promise<ElicitationRow> {
  return write(async (tx) => {
    const session = await lockSession(tx, { id: sessionId })
    // An earlier attempt may have been committed, and only its answer lost.
    const earlier = await selectByRequestId(tx, question.requestId)
    return earlier ?? raise(app, tx, session, { question, askedBy: 'agent', marker })
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
