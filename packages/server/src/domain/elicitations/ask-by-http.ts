import type { ElicitationPoll, NewElicitation } from '@yardmaster/contract/elicitations/fields'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession, selectSession } from '../sessions/session.ts'
import { recordHandOut, recordPoll, takeBack } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { variablesOf } from './environment.ts'
import { findByRequestId } from './find.ts'
import { presentPending, presentPoll } from './present.ts'
import { type Question, raise, redactQuestion } from './raise.ts'
import { digestOf, findTokenOwner } from './token.ts'
import type { TokenOwner } from './token-store.ts'

type Raised = { action: 'pending'; _meta: Record<string, string> }

/** The body, which is checked when it is read, and the session that it names. */
type Asked = { claimed: string | undefined; body(): NewElicitation }

/** A question of an MCP server, which proves its session by the token in the address. */
export async function raiseByToken(app: App, token: string, { claimed, body }: Asked): Promise<Raised> {
  const { session_id: id, run_marker: marker } = await verifyToken(app, token)
  if (claimed !== undefined && (await idOf(app, claimed)) !== id)
    refuse('session_mismatch', 'The session id names another session than the URL')
  const question = await redactQuestion(app, questionIn(body()))
  const row = await transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id })
    // The run may have ended since: its servers ask no more.
    await findTokenOwner(app, token, tx)
    return raise(app, tx, session, { question, askedBy: 'mcp_server', marker })
  })
  const { ELICITATION_POLL_URL: address } = await variablesOf(app, id, token)
  return raised(row, address)
}

/** A question of a caller with an API key. */
export async function raiseByKey(app: App, { claimed, body }: Asked): Promise<Raised> {
  const id = claimed === undefined ? undefined : await idOf(app, claimed)
  if (id === undefined) return refuse('session_not_found', 'The session id names no session')
  const question = await redactQuestion(app, questionIn(body()))
  const row = await transact(app.db, async (tx) =>
    raise(app, tx, await lockSession(tx, { id }), { question, askedBy: 'api', marker: null }),
  )
  const base = await app.serviceUrl
  return raised(row, base === undefined ? undefined : `${base}/api/v1/elicitations`)
}

function raised({ namespace, request_id: requestId }: ElicitationRow, address: string | undefined): Raised {
  return {
    action: 'pending',
    _meta: {
      [`${namespace}/request-id`]: requestId,
      ...(address !== undefined && { [`${namespace}/poll-url`]: `${address}/${encodeURIComponent(requestId)}` }),
    },
  }
}

function questionIn({ message, requestedSchema, _meta }: NewElicitation): Question {
  const { requestId, namespace, toolName, context, expiresAt, sessionId, all } = _meta
  return {
    requestId,
    namespace,
    message,
    schema: requestedSchema,
    meta: all,
    toolName,
    context,
    claimedSession: sessionId,
    expiresAt,
  }
}

async function idOf(app: App, named: string): Promise<number | undefined> {
  return (await selectSession(app.db, SessionRef.parse(named.trim())))?.id
}

/** Refuses a token that no run of this service has. */
export async function verifyToken(app: App, token: string): Promise<TokenOwner> {
  const known = app.questions.ownerOf(token)
  if (known) return known
  const reading = app.questions.reading(token)
  const owner = await findTokenOwner(app, token)
  reading.owner(owner)
  return owner
}

/** Another session's question is as unknown as one that does not exist. */
export async function pollByToken(app: App, token: string, requestId: string): Promise<Polled> {
  const known = app.questions.pendingOf(token, requestId)
  if (known) return { poll: known }
  const reading = app.questions.reading(token)
  const pending = await recordPoll(app.db, { digest: digestOf(token), requestId })
  if (pending) {
    reading.pending(pending)
    return { poll: presentPending(pending) }
  }
  const { session_id: id } = await findTokenOwner(app, token)
  const row = await findByRequestId(app, requestId)
  if (row.session_id !== id) refuseMissing()
  return handOut(app, row)
}

export async function pollByKey(app: App, requestId: string): Promise<Polled> {
  const row = await findByRequestId(app, requestId)
  return row.asked_by === 'api' ? handOut(app, row) : { poll: presentPoll(row) }
}

type Polled = { poll: ElicitationPoll; onUnsent?: () => void }

/**
 * The delivery of an answer is recorded before the answer is sent: a run that ends right after it must not report it as lost. If
 * the asker disconnects before it has the answer, the record is taken back.
 */
async function handOut(app: App, row: ElicitationRow): Promise<Polled> {
  const poll = presentPoll(row)
  const at = row.status === 'pending' ? undefined : await recordHandOut(app.db, row.id)
  if (at === undefined) return { poll }
  const onUnsent = (): void =>
    void takeBack(app.db, row.id, at).catch((error: unknown) =>
      app.log.warn({ session_id: row.session_id, err: error }, 'an answer that did not arrive counts as delivered'),
    )
  return { poll, onUnsent }
}
