import { ChangedHeartbeat, HeartbeatChange } from '@yardmaster/contract/board/fields'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { changeHeartbeat } from './change-heartbeat.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
  defineEndpoint({
    method: 'PATCH',
    path: '/sessions/{id}/heartbeat',
    tag,
    summary: 'Turn the heartbeat on or off, or change its interval',
    description:
      'While a session rests, each beat tells its agent to go on. A session that a person paused is left alone.',
    params,
    body: HeartbeatChange,
    answers: { 200: ChangedHeartbeat },
    refusals: ['missing_parameter'],
    handle: async ({ params, body }, app) => {
      const session = await changeHeartbeat(app, params.id, body)
      const { heartbeat_enabled, heartbeat_interval_seconds } = session
      return ok({ session, heartbeat_enabled, heartbeat_interval_seconds })
    },
  }),
]
