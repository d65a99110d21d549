import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { limits } from '../limits.ts'
import {
  ClaimedSession,
  Elicitation,
  ElicitationAnswer,
  ElicitationFilters,
  ElicitationPoll,
  NewElicitation,
  RaisedElicitation,
  RequestId,
} from './fields.ts'

const tag = 'Elicitations'
const bodyLimitBytes = limits.elicitation.bodyBytes
const token = z.string().meta({
  description: 'The token of the session, from `ELICITATION_REQUEST_URL` in the environment of its MCP servers.',
})

export const raiseByToken = defineEndpoint({
  name: 'elicitations.raise_by_token',
  auth: 'elicitation_token',
  method: 'POST',
  path: '/elicitations/session/{token}',
  tag,
  summary: 'Ask a person, as an MCP server of a session',
  description:
    'Needs no API key: the token in the path is valid while the turn runs that started the server. The session needs input until the question is answered or expires.',
  params: z.object({ token }),
  body: NewElicitation,
  early: ClaimedSession,
  bodyLimitBytes,
  answers: { 201: RaisedElicitation },
  refusals: ['unauthorized', 'too_many_wrong_keys', 'session_mismatch', 'missing_parameter', 'unprocessable'],
})

export const pollByToken = defineEndpoint({
  name: 'elicitations.poll_by_token',
  auth: 'elicitation_token',
  method: 'GET',
  path: '/elicitations/session/{token}/{request_id}',
  tag,
  summary: 'Ask whether a question is answered, as an MCP server of a session',
  description: 'A question past its time is answered 200 with `expired`, never with an error.',
  params: z.object({ token, request_id: RequestId }),
  answers: { 200: ElicitationPoll },
  refusals: ['unauthorized', 'too_many_wrong_keys', 'not_found'],
})

export const listElicitations = defineList({
  name: 'elicitations.list',
  auth: 'api_key',
  path: '/elicitations',
  tag,
  summary: 'List questions, the newest first',
  key: 'elicitations',
  item: Elicitation,
  filters: ElicitationFilters,
})

export const raiseElicitation = defineEndpoint({
  name: 'elicitations.raise',
  auth: 'api_key',
  method: 'POST',
  path: '/elicitations',
  tag,
  summary: 'Ask a person in the name of a session',
  body: NewElicitation,
  early: ClaimedSession,
  bodyLimitBytes,
  answers: { 201: RaisedElicitation },
  refusals: ['session_not_found', 'missing_parameter', 'unprocessable'],
})

export const pollElicitation = defineEndpoint({
  name: 'elicitations.poll',
  auth: 'api_key',
  method: 'GET',
  path: '/elicitations/{request_id}',
  tag,
  summary: 'Ask whether a question is answered',
  params: z.object({ request_id: RequestId }),
  answers: { 200: ElicitationPoll },
  refusals: ['not_found'],
})

export const respondToElicitation = defineEndpoint({
  name: 'elicitations.respond',
  auth: 'api_key',
  method: 'PATCH',
  path: '/elicitations/{id}/respond',
  tag,
  summary: 'Answer a question',
  description:
    'Of two people who answer at once, the first is heard; the second gets 422. A session that waited only for this goes on.',
  params: z.object({
    id: z
      .string()
      .min(1)
      .meta({ description: 'The request id, or the numeric id.', examples: ['5a0b6c1e'] }),
  }),
  body: ElicitationAnswer,
  bodyLimitBytes,
  answers: { 200: ElicitationPoll },
  refusals: ['not_found', 'unprocessable', 'own_elicitation'],
})

export const endpoints = [
  raiseByToken,
  pollByToken,
  listElicitations,
  raiseElicitation,
  pollElicitation,
  respondToElicitation,
] as const
