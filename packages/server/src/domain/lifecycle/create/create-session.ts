import type { NewSession, Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../../platform/db/database.ts'
import { writeJson } from '../../../platform/exact-json.ts'
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
  recordFirstTurn,
  recordPlaceholderTitle,
  selectSession,
  showRow,
} from '../../sessions/session.ts'
import { readSettings } from '../../settings/settings.ts'
import { inherited, lockParent, type Origin, refuseTooManyChildren } from './parent.ts'
import { choosePrecedence } from './placement.ts'
import { type ResolvedRequest, resolveRequest } from './resolve-request.ts'

/** A request that was checked and filled up from defaults. Nothing is written yet. */
export type SessionPlan = { request: NewSession; resolved: ResolvedRequest }

export type Created = { session: Session; isReplay: boolean; warnings: string[] }

/** Checks a request before a transaction is opened: it may start a git process and read files. */
export async function planSession(app: App, request: NewSession): Promise<SessionPlan> {
  return { request, resolved: await resolveRequest(app, request, await readSettings(app.db)) }
}

/**
 * Writes the session, its first turn, the job and the event in the caller's transaction, with the caller's genesis. Of
 * several creates with one idempotency key the database lets one in; the others answer with its session.
 */
export async function createSession(app: App, tx: Transaction, origin: Origin, plan: SessionPlan): Promise<Created> {
  const { request, resolved } = plan
  for (;;) {
    const id = await insert(app, tx, origin, plan)
    if (id !== undefined) {
      if (!resolved.title) await recordPlaceholderTitle(tx, id)
      for (const warning of resolved.serverWarnings) await note(app, tx, id, warning, 'warning')
      await startFirstTurn(tx, id, resolved, origin)
      await app.events.publish(tx, sessionCreated, { sessionId: id, payload: {} })
      return { session: await showRow(app, tx, { id }), isReplay: false, warnings: resolved.warnings }
    }
    const earlier = await findByIdempotencyKey(app, request.idempotency_key, tx)
    if (earlier) return { session: earlier, isReplay: true, warnings: [] }
    const isSlugTaken = request.slug && (await selectSession(tx, { slug: request.slug })) !== undefined
    if (isSlugTaken) refuse('validation_failed', 'Slug has already been taken')
    // A caller chose the generated slug at the same moment, or the session in the way was deleted: try again.
  }
}

/** Undefined when the idempotency key or the slug is taken. */
async function insert(
  app: App,
  tx: Transaction,
  origin: Origin,
  { request, resolved }: SessionPlan,
): Promise<number | undefined> {
  const { warnings: _, serverWarnings: __, config, metadata, ...columns } = resolved
  const parent = await lockParent(tx, request)
  if (parent && origin.isByAgent === true) await refuseTooManyChildren(tx, parent.id)
  const classByGenesis = classesByGenesis(await readSettings(tx))
  const slug = request.slug ?? (resolved.title && (await freeSlug(tx, resolved.title, app.clock.now())))
  return insertSession(tx, {
    ...columns,
    slug,
    ...inherited(parent, origin, request),
    precedence: await choosePrecedence(tx, request, { classByGenesis, parent }),
    idempotency_key: request.idempotency_key || null,
    config: writeJson(config),
    metadata: { ...metadata, ...origin.metadata },
    custom_metadata: writeJson(request.custom_metadata ?? {}),
  })
}

/** Without a prompt no turn runs until a caller follows up. */
async function startFirstTurn(
  tx: Transaction,
  id: number,
  { prompt }: ResolvedRequest,
  { metadata, isByPerson = false }: Origin,
): Promise<void> {
  if (!prompt) return
  const triggerId = metadata?.trigger_id ?? null
  const turnId = await acceptTurn(tx, { sessionId: id, source: 'create', prompt, goal: null, triggerId, isByPerson })
  await recordFirstTurn(tx, id, turnId)
}
