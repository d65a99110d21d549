import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleRepository, startTestApp, type TestApp } from '../support/app/app.ts'
import { type ModelServer, startModelServer } from '../support/model-server/model-server.ts'
import { atRest, entriesOf, waitForStatus } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { cli } from './support/cli.ts'

// Codex inside a whole server. beta.agents.ts tests the driver alone.

let model: ModelServer
let app: TestApp
let stop: () => Promise<void> = async () => undefined
let repository: string

beforeAll(async () => {
  model = await startModelServer()
  const started = await startTestApp({
    environment: {
      RUNTIME_BETA_COMMAND: cli('runtime_beta'),
      OPENAI_API_KEY: 'scripted-key',
      OPENAI_BASE_URL: `${model.url}/v1`,
    },
  })
  app = started.app
  stop = async () => {
    await started.stop()
    await model.stop()
  }
  repository = await sampleRepository(join(app.home, 'repository'))
})
afterAll(() => stop())

async function create(prompt: string): Promise<number> {
  const answer = await app.post('/sessions', {
    git_root: repository,
    prompt,
    agent_runtime: 'runtime_beta',
    config: { model: 'gpt-6.1-sol' },
  })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.session.id
}

async function created(prompt: string): Promise<number> {
  const id = await create(prompt)
  expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
  return id
}

async function say(id: number, prompt: string): Promise<void> {
  expect(await app.post(`/sessions/${id}/follow_up`, { prompt })).toMatchObject({ status: 200 })
  await eventually(
    () => entriesOf(app, id),
    (entries) => JSON.stringify(entries).includes(JSON.stringify(prompt)),
  )
  expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
}

async function stored(id: number): Promise<string> {
  return JSON.stringify(await entriesOf(app, id))
}

test("a session runs, stores its own and its subagent's transcript, and counts every call once", async () => {
  const before = model.requests.length
  const id = await created('run echo from the tool\nsubagent say From below\nusage 1000 50 400 0\nsay The first answer')
  expect(await stored(id)).toMatch(/from the tool.*The first answer/)
  const { rows: threads } = await app.pool.query(
    'select distinct thread from transcript_entries where session_id = $1',
    [id],
  )
  expect(threads).toHaveLength(2)
  const { rows: usages } = await app.pool.query(
    'select model, subagent, input_tokens, cache_read_tokens, output_tokens from session_usage where session_id = $1',
    [id],
  )
  expect(usages).toContainEqual({
    model: 'gpt-6.1-sol',
    subagent: false,
    input_tokens: '600',
    cache_read_tokens: '400',
    output_tokens: '50',
  })
  expect(usages.filter(({ subagent }) => subagent)).toHaveLength(1)
  expect(usages).toHaveLength(model.requests.slice(before).filter(({ status }) => status === 200).length)
})

test('a follow-up continues the same conversation', async () => {
  const id = await created('say The first answer')
  const before = (await app.get(`/sessions/${id}`)).body.session.session_id
  await say(id, 'say The second answer')
  expect((await app.get(`/sessions/${id}`)).body.session.session_id).toBe(before)
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('say The first answer')
})

test('a fork continues from its cut', async () => {
  const id = await created('say The first answer')
  await say(id, 'say The second answer')
  const cut = (await entriesOf(app, id)).findIndex((entry) => JSON.stringify(entry).includes('"The first answer"'))
  const fork = await app.post(`/sessions/${id}/fork`, { message_index: cut })
  expect(fork).toMatchObject({ status: 201 })
  await say(fork.body.session.id, 'say The answer of the fork')
  const asked = JSON.stringify(model.requests.at(-1)?.body)
  expect(asked).toContain('say The first answer')
  expect(asked).not.toContain('The second answer')
})

test('a session continues after archive and unarchive', async () => {
  const id = await created('say The first answer')
  expect(await app.post(`/sessions/${id}/archive`)).toMatchObject({ status: 200 })
  expect(await app.post(`/sessions/${id}/unarchive`)).toMatchObject({ status: 200 })
  await say(id, 'say The second answer')
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('say The first answer')
})

test('a session that is paused in the middle of a tool accepts a follow-up', async () => {
  const id = await create('run sleep 300\nsay Never')
  await waitForStatus(app, id, 'running')
  await eventually(
    () => stored(id),
    (text) => text.includes('sleep 300') && text.includes('tool_call'),
  )
  expect(await app.post(`/sessions/${id}/pause`)).toMatchObject({ status: 200 })
  expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
  await say(id, 'say Still here')
})

test('an unknown model fails the session with advice', async () => {
  const id = await create('fail 404')
  const session = await atRest(app, id)
  expect(session).toMatchObject({ status: 'failed' })
  expect(JSON.stringify(session)).toContain('Choose another model')
})
