import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { sampleRepository, type TestApp } from '../support/app/app.ts'
import { airOf, type Files, writeFiles } from '../support/app/catalog-folder.ts'
import { testDatabase } from '../support/database/database.ts'
import { startServer, testFolder } from '../support/processes/server-process.ts'
import { atRest, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { agentYard } from './support/agent-yard.ts'
import { agents, agentsEnvironment } from './support/agents.ts'
import { modelServer } from './support/model-server.ts'

// MCP servers of every agent that ask people over HTTP, and a server that dies while its agents wait for people.

const echo = fileURLToPath(new URL('support/echo-mcp-server.mjs', import.meta.url))
const files: Files = {
  'roots.json': { anywhere: { description: 'Any repository.' } },
  'mcp.json': { house: { type: 'stdio', command: process.execPath, args: [echo], description: 'Echoes.' } },
}

const model = modelServer()

const { app, begin } = agentYard({
  environment: async (folder) => {
    const catalog = join(folder, 'catalog')
    await writeFiles(catalog, { 'air.json': airOf(files), ...files })
    return { CATALOG_PATH: join(catalog, 'air.json') }
  },
})

function questionOf(api: Pick<TestApp, 'get'>, id: number) {
  return eventually(
    async () => (await api.get(`/elicitations?session_id=${id}&status=pending`)).body.elicitations[0],
    (found) => found !== undefined,
  )
}

describe.each(agents)('an MCP server of $runtime', (agent) => {
  test('asks a person over HTTP, and its tool returns the answer to the agent', async () => {
    const prompt = 'tool confirm {"question":"Really?"}\ntool variable {"name":"ELICITATION_SESSION_ID"}\nsay Over'
    const id = await begin(agent, prompt, { mcp_servers: ['house'] })
    const question = await questionOf(app, id)
    expect(question).toMatchObject({ message: 'Really?', tool_name: 'confirm', asked_by: 'mcp_server' })
    expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('needs_input')
    const answer = { action_type: 'accept', content: { word: 'plover' } }
    expect((await app.patch(`/elicitations/${question.request_id}/respond`, answer)).status).toBe(200)
    await eventually(
      () => textOf(app, id),
      (text) => text.includes('confirmed: accept plover') && text.includes(`ELICITATION_SESSION_ID=${id}`),
    )
  })
})

test('a server that is killed while agents wait for people reports the questions as lost, and no agent acts', async () => {
  const folder = await testFolder()
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url } = await testDatabase()
  const environment = {
    ...(await agentsEnvironment(folder, { modelUrl: model.url, key: 'scripted-key' })),
    DATABASE_URL: url,
    API_KEYS: 'ours',
  }
  const start = () => startServer({ home: join(folder, 'home'), environment })
  const first = await start()
  const asked: { id: number; requestId: string }[] = []
  for (const { runtime, model: id } of agents) {
    const config = { model: id, permissions: 'ask' }
    const answer = await first.post('/sessions', {
      ...{ git_root, agent_runtime: runtime, config },
      prompt: 'run touch acted && echo acted\nsay Over',
    })
    asked.push({ id: answer.body.session.id, requestId: (await questionOf(first, answer.body.session.id)).request_id })
  }
  await first.kill()
  const next = await start()
  for (const { id, requestId } of asked) {
    const session = await atRest(next, id)
    expect(session.metadata.lost_elicitation).toMatchObject({ reason: 'stranded', request_id: requestId })
    const late = await next.patch(`/elicitations/${requestId}/respond`, { action_type: 'accept' })
    expect(late.status).toBe(422)
    await expect(access(join(session.metadata.working_directory, 'acted'))).rejects.toThrow('ENOENT')
  }
})
