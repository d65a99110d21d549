import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { sessionHelpers } from '../sessions/conversation.ts'
import { sampleRepository, testApp } from './app.ts'
import { catalogOnDisk, wholeCatalog } from './catalog-app.ts'
import { mcpClient } from './mcp-client.ts'

/** An app with roots for agents, sessions whose turns keep running, and MCP clients with the keys that their agents received. */
export async function agentsAtWork() {
  const api = await sampleRepository(await mkdtemp(join(tmpdir(), 'yardmaster-api-')))
  afterAll(() => rm(api, { recursive: true, force: true }))
  const folder = await catalogOnDisk({
    ...wholeCatalog,
    'mcp.json': {
      ...(wholeCatalog['mcp.json'] as object),
      'yardmaster-house': { type: 'streamable-http', url: 'https://yard.test/mcp?tool_groups=self_session' },
      'yardmaster-weather': { type: 'streamable-http', url: 'https://yard.test/mcp?tool_groups=weather' },
    },
    'roots.json': {
      lead: { description: 'Leads.', url: api, default_runtime: 'demo', default_subagent_roots: ['api'] },
      chief: {
        description: 'Leads and may interrupt.',
        url: api,
        default_runtime: 'demo',
        default_subagent_roots: ['api'],
        allow_agents: ['force_immediate', 'unarchive_parent'],
      },
      api: { description: 'The service.', url: api, default_runtime: 'demo', default_mcp_servers: ['tracker'] },
      watcher: {
        description: 'May see figures of the service.',
        url: api,
        default_runtime: 'demo',
        allow_agents: ['see_operations'],
      },
      keeper_of_gates: {
        description: 'May use the ledger of gates.',
        url: api,
        default_runtime: 'demo',
        allow_agents: ['gate_decisions'],
      },
      keeper: { description: 'May maintain.', url: api, default_runtime: 'demo', allow_agents: ['maintain'] },
      puller: {
        description: 'May use the backlog and start its sessions.',
        url: api,
        default_runtime: 'demo',
        default_subagent_roots: ['orchestrator'],
        allow_agents: ['work_backlog'],
      },
      gate: { description: 'May use the backlog.', url: api, default_runtime: 'demo', allow_agents: ['work_backlog'] },
      orchestrator: { description: 'Works on the backlog.', url: api, default_runtime: 'demo' },
      other: { description: 'Another.', url: api, default_runtime: 'demo' },
    },
  })
  const app = testApp({ environment: { CATALOG_PATH: `${folder}/air.json`, APP_HOST: 'yard.example' } })
  const { create, reaches, settled } = sessionHelpers(app)
  const start = vi.spyOn(demoRuntime, 'start')
  afterEach(() => start.mockClear())
  afterAll(() => start.mockRestore())

  /** Starts a session whose turn keeps running, and returns the MCP servers that its agent received. */
  async function atWork(order: Record<string, unknown> = {}) {
    const id = await create('run sleep 120', order)
    await reaches(id, 'running')
    const isOurs = ([order]: (typeof start.mock.calls)[number]) => order.conversation.home.endsWith(`session-${id}`)
    const [given] = start.mock.calls.find(isOurs) ?? []
    const servers = (given?.equipment.mcpServers ?? []).flatMap((server) => (server.kind === 'http' ? server : []))
    const clientOf = (name: string) => {
      const server = servers.find((each) => each.name === name)
      return mcpClient(app, {
        key: server?.headers['X-API-Key'] ?? '',
        query: new URL(server?.url ?? 'http://nowhere').search,
      })
    }
    return { id, servers, clientOf }
  }

  return { app, api, create, reaches, settled, atWork }
}

export const onRoot = (agent_root: string) => ({ agent_root, git_root: undefined })
