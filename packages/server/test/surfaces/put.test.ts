import { expect, test } from 'vitest'
import { testApp, testKey } from '../support/app/app.ts'
import { insertSession } from '../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

async function put(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await app.send(`/api/v1${path}`, {
    method: 'PUT',
    headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

test('PUT behaves as PATCH for sessions, logs, subagent transcripts and queued messages', async () => {
  const id = await insertSession(app.pool, { status: 'needs_input' })
  const made = async (path: string, body: unknown, key: string): Promise<string> =>
    `/sessions/${id}/${path}/${(await app.post(`/sessions/${id}/${path}`, body)).body[key].id}`

  expect(await put(`/sessions/${id}`, { title: 'Put' })).toMatchObject({
    status: 200,
    body: { session: { title: 'Put' } },
  })
  for (const [path, body, key, change] of [
    ['logs', { content: 'one', level: 'info' }, 'log', { content: 'two' }],
    ['subagent_transcripts', { agent_id: 'a' }, 'subagent_transcript', { description: 'two' }],
    ['enqueued_messages', { content: 'one' }, 'enqueued_message', { content: 'two' }],
  ] as const)
    expect(await put(await made(path, body, key), change)).toMatchObject({ status: 200, body: { [key]: change } })
})

test('PUT answers 404 for a single attribute such as the model', async () => {
  const id = await insertSession(app.pool)
  expect((await put(`/sessions/${id}/model`, { model: 'demo' })).status).toBe(404)
})
