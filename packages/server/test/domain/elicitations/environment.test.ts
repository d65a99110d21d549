import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { forkSession } from '../../../src/domain/lifecycle/fork.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { expectProblem, sampleRepository, testApp } from '../../support/app/app.ts'
import { catalogOnDisk, wholeCatalog } from '../../support/app/catalog-app.ts'
import { asker, question } from '../../support/sessions/asking.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const repository = await sampleRepository(await mkdtemp(join(tmpdir(), 'yardmaster-ask-')))
afterAll(() => rm(repository, { recursive: true, force: true }))
const root = { description: 'A root.', url: repository, default_runtime: 'demo', default_mcp_servers: ['tracker'] }
const own = { use_repository_configuration: true }
const folder = await catalogOnDisk({
  ...wholeCatalog,
  'mcp.json': {
    tracker: { type: 'stdio', command: 'node', env: { KEPT: 'yes', ELICITATION_POLL_URL: 'https://catalog.test' } },
  },
  'roots.json': { free: { ...root, ...own }, careful: { ...root, ...own, permissions: 'ask' } },
  'plugins.json': {},
})
const app = testApp({ environment: { CATALOG_PATH: `${folder}/air.json`, ELICITATION_EXPIRATION_MINUTES: '5' } })
const { create, settled, say } = sessionHelpers(app)
const start = vi.spyOn(demoRuntime, 'start')
afterAll(() => start.mockRestore())

async function orderOf(agent_root: string, prompt = 'say hello') {
  const id = await create(prompt, { agent_root, git_root: undefined })
  await settled(id)
  const [order] = start.mock.calls.find(([each]) => each.conversation.home.endsWith(`session-${id}`)) ?? []
  if (!order) throw new Error('the agent was not started')
  return { id, order }
}

test('every stdio MCP server and the agent get the five variables, which beat the catalog', async () => {
  const { id, order } = await orderOf('free')
  const address = expect.stringMatching(new RegExp(`^${app.url}/api/v1/elicitations/session/yme_[\\w-]{43}$`))
  const five = {
    ELICITATION_REQUEST_URL: address,
    ELICITATION_POLL_URL: address,
    ELICITATION_PREFER_HTTP_FALLBACK: 'true',
    ELICITATION_TTL_MS: '300000',
    ELICITATION_SESSION_ID: String(id),
  }
  expect(order.equipment.environment).toEqual(five)
  const stdio = order.equipment.mcpServers.filter(({ kind }) => kind === 'stdio')
  expect(stdio).toMatchObject([{ name: 'tracker', env: { KEPT: 'yes', ...five } }])
})

test("the agent cannot redirect its questions: the service's values beat those of its clone and of the service's own environment", async () => {
  vi.stubEnv('ELICITATION_REQUEST_URL', 'https://service.test')
  onTestFinished(() => void vi.unstubAllEnvs())
  const prompt = [
    'write .env ELICITATION_REQUEST_URL=https://clone.test',
    'write .claude/settings.json {"env":{"ELICITATION_REQUEST_URL":"https://clone.test"}}',
  ].join('\n')
  const { id } = await orderOf('free', prompt)
  start.mockClear()
  await say(id, 'run test "$ELICITATION_REQUEST_URL" = "$ELICITATION_POLL_URL" && dirname "$ELICITATION_REQUEST_URL"')
  await settled(id)
  const { transcript } = (await app.get(`/sessions/${id}?include_transcript=true`)).body.session
  expect(transcript).toContain(`${app.url}/api/v1/elicitations/session`)
  expect(transcript).not.toMatch(/"content":"https:\/\/(clone|service)\.test/)
})

test('a fork has a token of its own, and the token of its source does not reach its questions', async () => {
  const { raise, poll, respond } = asker(app)
  const { id } = await orderOf('free')
  const fork = await forkSession(app.host.app, { id }, 0)
  start.mockClear()
  for (const each of [id, fork.id]) await say(each, 'ask Which way?')
  const pending = async () => (await app.get('/elicitations?status=pending')).body.elicitations
  const questions = await eventually(pending, ({ length }) => length === 2)
  const requestOf = (sessionId: number) =>
    questions.find(({ session_id }: { session_id: number }) => session_id === sessionId).request_id
  const tokenOf = (sessionId: number) => {
    const variables = start.mock.calls.map(([order]) => order.equipment.environment)
    const own = variables.find(({ ELICITATION_SESSION_ID }) => ELICITATION_SESSION_ID === String(sessionId))
    return own?.ELICITATION_POLL_URL?.split('/').at(-1) ?? ''
  }
  const [ofSource, ofFork] = [tokenOf(id), tokenOf(fork.id)]
  expect(ofSource).not.toBe(ofFork)
  expectProblem(await poll(ofSource, requestOf(fork.id)), 404, 'Not Found')
  const foreign = question('a-foreign-question', { meta: { 'com.acme/session-id': String(fork.id) } })
  expectProblem(await raise(ofSource, foreign), 403, 'Forbidden')
  expect((await poll(ofFork, requestOf(fork.id))).body.action).toBe('pending')
  for (const each of [id, fork.id]) await respond(requestOf(each), 'decline')
  for (const each of [id, fork.id]) await settled(each)
})

test('each turn has a token of its own, which ends with it', async () => {
  const addresses = [await orderOf('free'), await orderOf('free')].map(
    ({ order }) => order.equipment.environment.ELICITATION_REQUEST_URL ?? '',
  )
  expect(new Set(addresses).size).toBe(2)
  for (const address of addresses) expect((await fetch(`${address}/any`)).status).toBe(401)
})

test('people are asked on a root that demands it, and by default they are not', async () => {
  expect((await orderOf('free')).order.ask).toBeUndefined()
  expect((await orderOf('careful')).order.ask).toBeDefined()
})

test('settings of the repository are not used where people decide', async () => {
  expect((await orderOf('free')).order.equipment.usesRepositoryConfiguration).toBe(true)
  expect((await orderOf('careful')).order.equipment.usesRepositoryConfiguration).toBe(false)
})

test('people are still asked when the root that demanded it is gone from the catalog, also in a fork', async () => {
  const { id } = await orderOf('careful')
  await writeFile(join(folder, 'roots.json'), JSON.stringify({ free: root }))
  await app.host.app.catalog.refresh()
  const fork = await forkSession(app.host.app, { id }, 0)
  for (const each of [id, fork.id]) {
    start.mockClear()
    await say(each, 'say again')
    await settled(each)
    expect(start.mock.calls.map(([order]) => order.ask)).toEqual([expect.any(Function)])
  }
})
