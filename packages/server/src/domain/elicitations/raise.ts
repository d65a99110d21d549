import type { Asker } from '@yardmaster/contract/elicitations/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import { z } from 'zod'
import type { Transaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { refuse } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { clearLostElicitation, type SessionRow, transitionIfItApplies } from '../sessions/session.ts'
import { countPending, insertElicitation } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { elicitationRaised } from './events.ts'
import { summaryOf } from './summary.ts'

export type Question = {
  requestId: string
  namespace: string
  message: string
  schema: JsonObject | null
  meta: JsonObject
  toolName: string | undefined
  context: string | undefined
  /** The session as the asker named it. */
  claimedSession: string | undefined
  /** As the asker wrote it. A text that is no time of ISO 8601 with an offset counts as absent. */
  expiresAt: string | undefined
}

/** What is shown to people is redacted. Done before the transaction: it may take a while. */
export async function redactQuestion(app: App, question: Question): Promise<Question> {
  const { message, schema, meta, toolName, context } = question
  return {
    ...question,
    message: await app.redactor.text(message),
    schema: schema && (await redactObject(app, schema)),
    meta: await redactObject(app, meta),
    toolName: toolName && truncate(await app.redactor.text(toolName), maxToolName),
    context: context && truncate(await app.redactor.text(context), limits.elicitation.message),
  }
}

const maxToolName = 255

async function redactObject(app: App, value: JsonObject): Promise<JsonObject> {
  const written = JSON.stringify(value)
  const [redacted = written] = await app.redactor.lines([written])
  return redacted === written ? value : JSON.parse(redacted)
}

/**
 * Stores a question, in a transaction that holds the session's lock. A running session needs input from here on; its turn goes
 * on, and its agent waits.
 */
export async function raise(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { question, askedBy, marker }: { question: Question; askedBy: Asker; marker: string | null },
): Promise<ElicitationRow> {
  if (session.status === 'archived') refuse('unprocessable', 'Session is archived; unarchive it first')
  if ((await countPending(tx, session.id)) >= limits.elicitation.pending)
    refuse('unprocessable', `Session has ${limits.elicitation.pending} pending questions; answer some of them first`)
  const row = await insertElicitation(tx, {
    session_id: session.id,
    request_id: question.requestId,
    namespace: question.namespace,
    asked_by: askedBy,
    run_marker: marker,
    message: question.message,
    requested_schema: question.schema,
    meta: question.meta,
    tool_name: question.toolName ?? null,
    context: question.context ?? null,
    mcp_session_id: question.claimedSession ?? null,
    expiresAt: readTime(question.expiresAt),
    windowMinutes: app.elicitationMinutes,
  }).catch((error: unknown) => {
    if (violatedConstraint(error) === 'elicitations_request_id_key')
      refuse('unprocessable', 'Request has already been taken')
    throw error
  })
  const isBlocked = await transitionIfItApplies(app, tx, {
    sessionId: session.id,
    cause: 'elicitation_asked',
    // The turn goes on.
    with: { running_job_id: session.running_job_id, metadata: { blocked_on_elicitation: true } },
  })
  if (!isBlocked) await clearLostElicitation(tx, session.id)
  await note(app, tx, session.id, `A person is asked: ${summaryOf(row)}`)
  const payload = { elicitation_id: row.id, request_id: row.request_id }
  await app.events.publish(tx, elicitationRaised, { sessionId: session.id, payload })
  return row
}

const Time = z.iso.datetime({ offset: true })

function readTime(text: string | undefined): Date | undefined {
  const { data } = Time.safeParse(text?.trim())
  return data === undefined ? undefined : new Date(data)
}
