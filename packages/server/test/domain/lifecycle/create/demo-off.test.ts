import { expect, test } from 'vitest'
import { expectProblem, testApp } from '../../../support/app/app.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'
import { eventually } from '../../../support/vitest/eventually.ts'

const app = testApp({ environment: { RUNTIME_DEMO: 'off' } })

test('with RUNTIME_DEMO=off a session on demo is refused with 422, and configs do not offer it', async () => {
  const answer = await app.post('/sessions', { git_root: '/tmp/none', agent_runtime: 'demo', prompt: 'run id' })
  expectProblem(answer, 422, 'Validation failed')
  expect(answer.body.message).toContain('demo')
  const { runtime_models, agent_roots } = (await app.get('/configs')).body
  expect(Object.keys(runtime_models)).not.toContain('demo')
  expect(agent_roots.map(({ default_runtime }: { default_runtime: string }) => default_runtime)).not.toContain('demo')
})

test('with RUNTIME_DEMO=off a turn of an earlier demo session fails with a sentence and runs nothing', async () => {
  const id = await insertSession(app.pool, { agent_runtime: 'demo', status: 'needs_input' })
  expect((await app.post(`/sessions/${id}/follow_up`, { prompt: 'run id' })).status).toBe(200)
  const { session } = await eventually(
    async () => (await app.get(`/sessions/${id}`)).body,
    ({ session: { status } }) => status === 'failed',
  )
  expect(session.metadata).not.toHaveProperty('process_pid')
  const { logs } = (await app.get(`/sessions/${id}/logs`)).body
  expect(logs.map(({ content }: { content: string }) => content).join('\n')).toContain('demo')
})
