import * as contract from '@yardmaster/contract/lifecycle/endpoints'
import { transact } from '../../platform/db/transact.ts'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { hear, recordHeard } from '../hierarchy/hierarchy.ts'
import { findByIdempotencyKey, findSession, genesisOfRequest, showRow } from '../sessions/session.ts'
import { archiveSession } from './archive.ts'
import { archiveMany } from './bulk-archive.ts'
import { createSession, planSession } from './create/create-session.ts'
import { deleteSession } from './delete.ts'
import { forkSession } from './fork.ts'
import { pauseSession } from './pause.ts'
import { refreshTranscript } from './refresh.ts'
import { refreshAll } from './refresh-all.ts'
import { restartSession } from './restart.ts'
import { showSession } from './show.ts'
import { putToSleep } from './sleep.ts'
import { unarchiveSession } from './unarchive.ts'

export const endpoints = [
  bind(contract.createSession, async (request, app) => {
    const earlier = await findByIdempotencyKey(app, request.early.idempotency_key)
    if (earlier) return ok({ session: earlier, idempotent_replay: true as const })
    const plan = await planSession(app, request.body)
    const heard = await hear(app, request.browser, {
      entryPoint: 'web_ui.new_session',
      content: plan.resolved.prompt,
    })
    const isByAgent = request.agentOf !== undefined
    const origin = { genesis: genesisOfRequest(request), isByAgent, isByPerson: !isByAgent }
    const { session, isReplay, warnings } = await transact(app.db, async (tx) => {
      const made = await createSession(app, tx, origin, plan)
      if (!made.isReplay) await recordHeard(tx, made.session.id, heard)
      return made
    })
    if (isReplay) return ok({ session, idempotent_replay: true as const })
    return created({ session, ...(warnings.length > 0 && { warnings }) })
  }),
  bind(
    contract.showSession,
    async ({ params, query }, app) =>
      ok(await showSession(app, params.id, { withTranscript: query.include_transcript })),
    ({ id }, app) => findSession(app.db, id),
  ),
  bind(contract.deleteSession, async ({ params }, app) => {
    await deleteSession(app, params.id)
    return noContent()
  }),
  bind(contract.archiveSession, async ({ params, body, agentOf }, app) => {
    const session = await archiveSession(app, params.id, { force: body.force, agentOf })
    return ok({ session, message: 'Session moved to trash', trash_after: session.trash_after })
  }),
  bind(contract.unarchiveSession, async ({ params }, app) => {
    const { session, cloneRestored, message } = await unarchiveSession(app, params.id)
    return ok({ session, clone_restored: cloneRestored, message })
  }),
  bind(contract.bulkArchiveSessions, async ({ body, agentOf }, app) =>
    ok(await archiveMany(app, body.session_ids, { force: body.force, agentOf })),
  ),
  bind(contract.pauseSession, async ({ params }, app) => ok({ session: await pauseSession(app, params.id) })),
  bind(contract.sleepSession, async ({ params }, app) => ok({ session: await putToSleep(app, params.id) })),
  bind(contract.restartSession, async ({ params, agentOf }, app) =>
    ok(await restartSession(app, params.id, { isByPerson: agentOf === undefined })),
  ),
  bind(contract.forkSession, async ({ params, body }, app) =>
    created({
      session: await forkSession(app, params.id, body.message_index),
      message: 'Session forked successfully',
    }),
  ),
  bind(contract.refreshSession, async ({ params }, app) => {
    const { sessionId, entryCount, isFileShorter } = await refreshTranscript(app, params.id)
    const message = isFileShorter
      ? `The stored transcript was kept (${entryCount} messages): the file on disk is shorter`
      : `Transcript refreshed (${entryCount} messages)`
    return ok({ session: await showRow(app, app.db, { id: sessionId }), message })
  }),
  bind(contract.refreshAllSessions, async ({ body }, app) => ok(await refreshAll(app, body))),
]
