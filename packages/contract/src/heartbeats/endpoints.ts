import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { ChangedHeartbeat, HeartbeatChange } from './fields.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const updateHeartbeat = defineEndpoint({
  name: 'sessions.update_heartbeat',
  auth: 'api_key',
  method: 'PATCH',
  path: '/sessions/{id}/heartbeat',
  tag,
  summary: 'Turn the heartbeat on or off, or change its interval',
  description:
    'While a session rests, each heartbeat prompts its agent to continue. A session that a person paused is left alone.',
  params,
  body: HeartbeatChange,
  answers: { 200: ChangedHeartbeat },
  refusals: ['missing_parameter'],
})

export const endpoints = [updateHeartbeat] as const
