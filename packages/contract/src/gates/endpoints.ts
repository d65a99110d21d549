import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { PageQuery, Pagination } from '../paging.ts'
import {
  GateDecision,
  GateDecisionFilters,
  GateDecisionSummary,
  GateFilterValues,
  NewGateDecision,
  NewGateFeedback,
} from './fields.ts'

const tag = 'Gate decisions'
const params = z.object({ id: IdParam })
const OneDecision = z.object({ gate_decision: GateDecision })

export const listDecisions = defineEndpoint({
  name: 'gate_decisions.list',
  auth: 'api_key',
  method: 'GET',
  path: '/gate_decisions',
  tag,
  summary: 'List decisions of gates, the latest first',
  description: 'By the day of the decision, or of its recording where the decision names none. Without payloads.',
  query: z.object({ ...PageQuery.shape, ...GateDecisionFilters.shape }),
  invalidQuery: 'invalid_filter',
  answers: {
    200: z.object({
      gate_decisions: z.array(GateDecisionSummary).meta({ description: 'One page of them.' }),
      pagination: Pagination,
      filter_values: GateFilterValues.meta({
        description: 'What the ledger can be narrowed to, on every page and under every filter.',
      }),
    }),
  },
})

export const showDecision = defineEndpoint({
  name: 'gate_decisions.show',
  auth: 'api_key',
  method: 'GET',
  path: '/gate_decisions/{id}',
  tag,
  summary: 'Show a decision of a gate',
  params,
  answers: { 200: OneDecision },
  refusals: ['not_found'],
})

export const recordDecision = defineEndpoint({
  name: 'gate_decisions.record',
  auth: 'api_key',
  method: 'POST',
  path: '/gate_decisions',
  tag,
  summary: 'Record a decision of a gate',
  description: 'Nothing that is recorded changes any more. A correction is another record about the same artifact.',
  body: NewGateDecision,
  invalidBody: 'invalid_gate_decision',
  answers: { 201: OneDecision },
})

export const endpoints = [listDecisions, showDecision, recordDecision] as const

/** For people only: no route of the API serves it. */
export const addFeedback = defineEndpoint({
  name: 'gate_decisions.add_feedback',
  auth: 'browser',
  method: 'POST',
  path: '/gate_decisions/{id}/feedbacks',
  tag,
  summary: 'Say what a person thinks of a decision',
  params,
  body: NewGateFeedback,
  answers: { 201: OneDecision },
  refusals: ['not_found'],
})
