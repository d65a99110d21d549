import * as contract from '@yardmaster/contract/backlog/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { genesisOfRequest } from '../sessions/session.ts'
import { appendItem } from './append.ts'
import { pinItem, removeItem, startItemNow, unpinItem } from './change-item.ts'
import { askAboutIssues } from './check-issues.ts'
import { findItem, listItems, showItem } from './find-items.ts'
import { pullItems } from './pull.ts'
import type { Starter } from './spawn.ts'

export const endpoints = [
  bind(contract.listItems, async ({ query: { page, per_page: perPage, ...filters } }, app) =>
    ok(await listItems(app, filters, { page, perPage })),
  ),
  bind(contract.showItem, async ({ params }, app) => ok({ work_backlog_item: await showItem(app.db, params.id) })),
  bind(contract.appendItem, async ({ body, isTool, agentOf }, app) => {
    const appended = await appendItem(app, body, { isTool, agentOf })
    return appended.created ? created(appended) : ok(appended)
  }),
  bind(contract.pullItems, async (request, app) => {
    const { body } = request
    return ok(await pullItems(app, body, starterOf(request, body.acting_session_id)))
  }),
  bind(contract.startItemNow, async (request, app) => {
    await findItem(app.db, request.params.id)
    return created(await startItemNow(app, request.params.id, starterOf(request, request.body.acting_session_id)))
  }),
  // An unknown item answers 404 whatever the body says.
  bind(contract.pinItem, async (request, app) => {
    await findItem(app.db, request.params.id)
    return ok({ work_backlog_item: await pinItem(app, request.params.id, request.body.precedence) })
  }),
  bind(contract.unpinItem, async ({ params }, app) => ok({ work_backlog_item: await unpinItem(app, params.id) })),
  bind(contract.removeItem, async (request, app) => {
    await findItem(app.db, request.params.id)
    return ok({ work_backlog_item: await removeItem(app, request.params.id, request.body) })
  }),
  bind(contract.checkIssues, async (_request, app) => ok({ queued: true as const, due: await askAboutIssues(app) })),
]

type Asked = Parameters<typeof genesisOfRequest>[0] & Pick<Starter, 'agentOf' | 'roots'>

function starterOf(request: Asked, actingSessionId: number | undefined): Starter {
  const { agentOf, roots } = request
  return { actingSessionId, agentOf, roots, genesis: genesisOfRequest(request) }
}
