import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { airOf, type Files, writeFiles } from '../support/app/catalog-folder.ts'
import { authorizedMcpServer } from '../support/oauth/authorized-mcp-server.ts'
import { testCertificate } from '../support/oauth/tls-server.ts'
import { textOf } from '../support/sessions/demo-session.ts'
import { agentYard } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// A real MCP server that demands a token of a real authorization server, as the agents reach it.

const remote = await authorizedMcpServer()
afterAll(() => remote.close())

const files: Files = {
  'roots.json': { anywhere: { description: 'Any repository.' } },
  'mcp.json': { vault: { type: 'streamable-http', description: 'Keeps a secret.', url: remote.url, oauth: {} } },
}

const { app, work } = agentYard({
  environment: async (folder) => {
    const catalog = join(folder, 'catalog')
    await writeFiles(catalog, { 'air.json': airOf(files), ...files })
    return { CATALOG_PATH: join(catalog, 'air.json'), OAUTH_ALLOWED_ORIGINS: remote.origin, APP_HOST: 'yard.example' }
  },
  trustedAuthority: testCertificate().cert,
})

describe.each(agents)('a session of $runtime', (agent) => {
  test('calls a tool of an MCP server that demands a token, and has no token itself', async () => {
    const { body } = await app.post('/connectors/vault/authorize', { again: true })
    const { pathname, search } = new URL(await remote.consent(body.url))
    expect((await app.send(pathname + search, { redirect: 'manual' })).status).toBe(302)
    const id = await work(agent, 'tool secret {}\nsay Done', { mcp_servers: ['vault'] })
    expect(await textOf(app, id)).toContain('the secret is plain')
  })
})
