import * as contract from '@yardmaster/contract/gates/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { addFeedback, listDecisions, recordDecision, showDecision } from './gate-decision.ts'

export const endpoints = [
  bind(contract.listDecisions, async ({ query: { page, per_page: perPage, ...filters } }, app) =>
    ok(await listDecisions(app, filters, { page, perPage })),
  ),
  bind(contract.showDecision, async ({ params }, app) => ok({ gate_decision: await showDecision(app, params.id) })),
  bind(contract.recordDecision, async ({ body, isTool, agentOf }, app) =>
    created({ gate_decision: await recordDecision(app, body, { isTool, agentOf }) }),
  ),
]

/** What people do in a browser, and no caller of the API. */
export const forPeople = [
  bind(contract.addFeedback, async (request, app) =>
    created({ gate_decision: await addFeedback(app, request.params.id, request.body) }),
  ),
]
