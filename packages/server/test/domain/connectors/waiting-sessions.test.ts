import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { replaceFile } from '../../support/app/catalog-folder.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { authorizedMcpServer } from '../../support/oauth/authorized-mcp-server.ts'
import { testCertificate } from '../../support/oauth/tls-server.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const remote = await authorizedMcpServer()
afterAll(() => remote.close())
const folder = await catalogOnDisk({
  'plugins.json': { safe: { description: 'Brings the vault.', version: '1.0.0', mcp_servers: ['vault'] } },
  'mcp.json': {
    vault: { type: 'streamable-http', url: remote.url, oauth: {} },
    other: { type: 'streamable-http', url: remote.url, oauth: {} },
  },
})
const app = testApp({
  environment: {
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: remote.origin,
    APP_HOST: 'yard.example',
  },
  trustedAuthority: testCertificate().cert,
})
const { create, reaches, turns, logs, settled, effects } = sessionHelpers(app)

beforeEach(async () => {
  await app.pool.query('delete from mcp_credentials')
  await app.pool.query('delete from mcp_oauth_flows')
})

/** Begins to authorize the server and gives consent. Returns the path that the person is sent back to. */
async function consented(name: string): Promise<string> {
  const { body } = await app.post(`/connectors/${name}/authorize`, {})
  const { pathname, search } = new URL(await remote.consent(body.url))
  return pathname + search
}
const callback = (path: string) => app.send(path, { redirect: 'manual' })

describe('a parked session', () => {
  const replace = (id: number, list: string, names: string[]) => app.patch(`/sessions/${id}/${list}`, { [list]: names })
  const waitsFor = async (id: number) => (await app.get(`/sessions/${id}`)).body.session.metadata.oauth_required_servers
  const completed = async (id: number) => (await turns(id)).filter(({ outcome }) => outcome === 'completed')

  it('resumes once, with its prompt, when callers take the server from it at the same time', async () => {
    const id = await create(effects.doing('without'), { mcp_servers: ['vault'] })
    await reaches(id, 'failed')
    const answers = await Promise.all([1, 2, 3].map(() => replace(id, 'mcp_servers', [])))
    for (const { status, body } of answers) expect([status, body.oauth_required]).toEqual([200, false])
    await reaches(id, 'needs_input')
    await settled(id)
    expect((await effects.done()).filter((word) => word === 'without')).toHaveLength(1)
    expect((await logs(id)).filter((line) => line.startsWith('No server has to be authorized'))).toHaveLength(1)
    expect(await completed(id)).toHaveLength(1)
  })

  it('resumes once when a person authorizes the server while a caller takes it from the session', async () => {
    const id = await create(effects.doing('either'), { mcp_servers: ['vault'] })
    await reaches(id, 'failed')
    const landed = await consented('vault')
    await Promise.all([callback(landed), replace(id, 'mcp_servers', [])])
    await reaches(id, 'needs_input')
    await settled(id)
    expect((await effects.done()).filter((word) => word === 'either')).toHaveLength(1)
  })

  it('waits for the server that takes the place of another, and resumes when a person has authorized that one', async () => {
    const id = await create('say hello', { mcp_servers: ['vault'] })
    await reaches(id, 'failed')
    await replace(id, 'mcp_servers', ['other'])
    expect(await waitsFor(id)).toMatchObject([{ server_name: 'other' }])
    expect((await callback(await consented('other'))).status).toBe(302)
    await reaches(id, 'needs_input')
    expect(await completed(id)).toHaveLength(1)
  })

  it('resumes when the plugin that brought the server no longer does', async () => {
    const id = await create('say hello', { catalog_plugins: ['safe'] })
    await reaches(id, 'failed')
    const empty = { safe: { description: 'Brings nothing.', version: '1.0.1', mcp_servers: [] } }
    await replaceFile(`${folder}/plugins.json`, JSON.stringify(empty))
    const status = async () => {
      await runPeriodic(app.host.app, 'resume_authorized_sessions')
      return (await app.get(`/sessions/${id}`)).body.session.status
    }
    await eventually(status, (found) => found !== 'failed')
    await reaches(id, 'needs_input')
    expect(await completed(id)).toHaveLength(1)
  })
})
