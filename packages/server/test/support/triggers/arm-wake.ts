import { expect } from 'vitest'
import type { ApiCalls } from '../app/api-calls.ts'

/** Arms a one-time wake for a session, with the body that wake tools send. Returns the id of its trigger. */
export async function armWake(
  app: Pick<ApiCalls, 'post'>,
  sessionId: number,
  configuration: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<number> {
  const answer = await app.post('/triggers', {
    name: `Wake ${sessionId}`,
    agent_root_name: 'any',
    prompt_template: 'say awake',
    reuse_session: true,
    last_session_id: sessionId,
    trigger_conditions_attributes: [
      { condition_type: 'scheduled_at' in configuration ? 'schedule' : 'ao_event', configuration },
    ],
    ...more,
  })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.trigger.id
}
