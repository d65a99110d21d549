import { afterEach, expect, test, vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { testApp } from '../../support/app/app.ts'
import { catalogOnDisk, keepSecrets } from '../../support/app/catalog-app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const folder = await catalogOnDisk()
const app = testApp({ environment: { CATALOG_PATH: `${folder}/air.json` } })
const { create, reaches, logs } = sessionHelpers(app)
afterEach(() => vi.restoreAllMocks())

test('an agent gets the equipment of its session, and instructions with its goal, its notes and unavailable items', async () => {
  await keepSecrets(app.home, { TRACKER_TOKEN: { value: 'tracker-secret-value', description: null } })
  const [start, equip] = [vi.spyOn(demoRuntime, 'start'), vi.spyOn(demoRuntime, 'equip')]
  const id = await create(undefined, {
    goal: 'question',
    mcp_servers: ['tracker', 'dead'],
    catalog_skills: ['tidy'],
    catalog_plugins: ['kit'],
  })
  await app.patch(`/sessions/${id}/notes`, { session_notes: 'Mind the gap.' })
  await app.post(`/sessions/${id}/follow_up`, { prompt: 'say hello' })
  await reaches(id, 'needs_input')
  const [order] = start.mock.calls.at(-1) ?? []
  expect(equip.mock.calls.at(-1)?.[1]).toEqual(order?.equipment)
  expect(order?.equipment).toMatchObject({
    mcpServers: [
      { name: 'tracker', kind: 'stdio', command: 'node' },
      { name: 'search', kind: 'http' },
      { name: 'yardmaster-self-session', kind: 'http' },
    ],
    skills: [{ id: 'tidy' }],
    hooks: [{ id: 'format' }],
  })
  for (const sentence of ['Answer it.', 'Mind the gap.', 'The MCP server dead is left out: Retired.']) {
    expect(order?.equipment.instructions).toContain(sentence)
  }
  expect(await logs(id)).toContain('The MCP server dead is left out: Retired.')
})
