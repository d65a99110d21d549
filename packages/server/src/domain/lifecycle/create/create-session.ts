import type { NewSession, Session } from '@yardmaster/contract/session'
import type { Transaction } from '../../../platform/db/database.ts'
import { transact } from '../../../platform/db/transact.ts'
import { violatedConstraint } from '../../../platform/db/violated-constraint.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { App } from '../../app.ts'
import { acceptTurn } from '../../inbox/inbox.ts'
import { note } from '../../logs/log.ts'
import { sessionCreated } from '../../sessions/events.ts'
import {
  classesByGenesis,
  findByIdempotencyKey,
  freeSlug,
  insertSession,
  showRow,
  updateSession,
} from '../../sessions/session.ts'
import { readSettings } from '../../settings/settings.ts'
import { holdParent, inherited } from './parent.ts'
import { choosePrecedence } from './placement.ts'
import { type ResolvedRequest, resolveRequest } from './resolve-request.ts'

export type Created = { session: Session; isReplay: boolean; warnings: string[] }

/**
 * Row, first turn, job and event are one transaction: a session that was answered for is never left without its turn.
 * Of several creates with one idempotency key the database lets one in, and the others answer with its session.
 */
export async function createSession(app: App, request: NewSession): Promise<Created> {
  const resolved = await resolveRequest(app, request, await readSettings(app.db))
  const session = await write(app, request, resolved)
  if (session) return { session, isReplay: false, warnings: resolved.warnings }
  const earlier = await findByIdempotencyKey(app, request.idempotency_key)
  if (earlier) return { session: earlier, isReplay: true, warnings: [] }
  return createSession(app, request) // the key or the slug is free again, or another slug is made
}

/** Undefined when somebody else got in first: with the idempotency key, or with a slug that we made ourselves. */
async function write(app: App, request: NewSession, resolved: ResolvedRequest): Promise<Session | undefined> {
  try {
    return await transact(app.db, async (tx) => {
      const id = await insert(app, tx, request, resolved)
      if (id === undefined) return undefined
      await giveTitle(tx, id, resolved)
      for (const warning of resolved.serverWarnings) await note(app, tx, id, warning, 'warning')
      await startFirstTurn(tx, id, resolved)
      await app.events.publish(tx, sessionCreated, { sessionId: id, payload: {} })
      return showRow(app, tx, { id })
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'sessions_slug_key') throw error
    const isReplay = (await findByIdempotencyKey(app, request.idempotency_key)) !== undefined
    if (request.slug && !isReplay) refuse('validation_failed', 'Slug has already been taken')
    return undefined
  }
}

/** Undefined when the idempotency key has been used. */
async function insert(
  app: App,
  tx: Transaction,
  request: NewSession,
  resolved: ResolvedRequest,
): Promise<number | undefined> {
  const { warnings: _, serverWarnings: __, config, metadata, ...columns } = resolved
  const parent = await holdParent(tx, request)
  const classByGenesis = classesByGenesis(await readSettings(tx))
  const slug = request.slug ?? (resolved.title && (await freeSlug(tx, resolved.title, app.clock.now())))
  return insertSession(tx, {
    ...columns,
    slug,
    ...inherited(parent, request),
    precedence: await choosePrecedence(tx, request, { classByGenesis, parent }),
    idempotency_key: request.idempotency_key || null,
    config: JSON.stringify(config),
    metadata: JSON.stringify(metadata),
    custom_metadata: JSON.stringify(request.custom_metadata ?? {}),
  })
}

/** The placeholder names the session until something better does; the mark says that it may be replaced. */
async function giveTitle(tx: Transaction, id: number, { title }: ResolvedRequest): Promise<void> {
  if (!title) await updateSession(tx, id, { title: `Session ${id}`, metadata: { auto_generated_title: true } })
}

/** Without a prompt nothing runs until somebody follows up. */
async function startFirstTurn(tx: Transaction, id: number, { prompt }: ResolvedRequest): Promise<void> {
  if (!prompt) return
  const turnId = await acceptTurn(tx, { sessionId: id, source: 'create', prompt, goal: null })
  await updateSession(tx, id, { job_id: turnId, running_job_id: turnId })
}
