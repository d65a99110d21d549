import { ModelChange } from '@yardmaster/contract/board/fields'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { SessionWithMessage } from '@yardmaster/contract/lifecycle/fields'
import { ChangedSession, SessionChanges } from '@yardmaster/contract/lifecycle/session-changes'
import { z } from 'zod'
import { ok } from '../../../platform/http/answer.ts'
import { defineEndpoint } from '../../app.ts'
import { changeModel } from './change-model.ts'
import { changeSession } from './change-session.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const updateEndpoints = [
  defineEndpoint({
    method: 'PATCH',
    isPutToo: true,
    path: '/sessions/{id}',
    tag,
    summary: 'Change a session; only the keys that are sent change',
    description:
      'A waiting session that becomes a priority one is started at once; `start` says what came of it. Other keys than these are dropped.',
    params,
    body: SessionChanges,
    answers: { 200: ChangedSession },
    refusals: ['invalid_placement'],
    handle: async ({ params, body, rawBody }, app) =>
      ok(await changeSession(app, params.id, { changes: body, sent: rawBody })),
  }),
  defineEndpoint({
    method: 'PATCH',
    path: '/sessions/{id}/model',
    tag,
    summary: 'Change the model that the next turn runs with',
    params,
    body: ModelChange,
    answers: { 200: SessionWithMessage },
    refusals: ['missing_parameter', 'invalid_parameter', 'invalid_model'],
    handle: async ({ params, body }, app) =>
      ok({ session: await changeModel(app, params.id, body.model), message: 'Model updated' }),
  }),
]
