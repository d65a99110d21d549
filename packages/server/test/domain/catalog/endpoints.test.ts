import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { catalogOnDisk, keepSecrets, wholeCatalog } from '../../support/app/catalog-app.ts'
import { replaceFile } from '../../support/app/catalog-folder.ts'

const folder = await catalogOnDisk()
const app = testApp({
  environment: { ROLE: 'web', CATALOG_PATH: join(folder, 'air.json'), DEFAULT_AGENT_ROOT: 'web' },
})

const send = (path: string, headers: Record<string, string> = {}) =>
  app.send(path, { headers: { 'x-api-key': testKey, ...headers } })

const servers = [
  {
    name: 'blind',
    title: 'blind',
    description: '',
    unavailable: true,
    unavailable_reason: '`YARD_TEST_NEVER_SET` unresolved',
  },
  { name: 'dead', title: 'dead', description: '', unavailable: true, unavailable_reason: 'Retired' },
  { name: 'search', title: 'search', description: '', unavailable: false, unavailable_reason: null },
  { name: 'tracker', title: 'Tracker', description: 'Issues.', unavailable: false, unavailable_reason: null },
]

describe('GET /configs', () => {
  test('GET /configs answers 200 with all options for a new session, under exactly these keys', async () => {
    const { status, body } = await app.get('/configs')
    expect(status).toBe(200)
    expect(body).toEqual({
      mcp_servers: servers,
      agent_roots: [
        expect.objectContaining({ name: 'api', default: false, user_invocable: false, default_model: 'demo' }),
        expect.objectContaining({ name: 'bare', url: null, default_branch: 'main', subdirectory: null }),
        {
          name: 'web',
          display_name: 'Web app',
          description: 'Customer-facing site.',
          url: 'https://forge.test/acme/web.git',
          default_branch: 'trunk',
          subdirectory: 'apps/site',
          custom: false,
          default: true,
          default_goal: 'question',
          default_mcp_servers: ['tracker', 'dead'],
          default_skills: ['tidy'],
          default_hooks: [],
          default_plugins: ['kit'],
          default_subagent_roots: ['api'],
          user_invocable: true,
          default_model: 'demo',
          default_runtime: 'demo',
        },
      ],
      runtime_models: expect.objectContaining({
        demo: {
          default: 'demo',
          models: [{ id: 'demo', label: 'Demo', default: true, requires_oauth: false }],
          takes_commands: false,
          commands: [],
          takes_compact_window: false,
        },
        runtime_alpha: expect.objectContaining({
          takes_commands: true,
          commands: expect.arrayContaining([{ name: 'compact', description: expect.stringContaining('conversation') }]),
        }),
      }),
      goals: [{ id: 'question', name: 'Question', description: 'Answer it.' }],
    })
    expect(JSON.stringify(body)).not.toMatch(/"command"|TRACKER_TOKEN|mcp\.test/)
  })

  test('GET /configs answers 304 to a client that has the current version', async () => {
    const first = await send('/api/v1/configs')
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await send('/api/v1/configs', { 'if-none-match': known })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
    }
    expect((await send('/api/v1/configs', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('GET /configs shows the last valid catalog after an invalid edit, and GET /catalog says what is wrong', async () => {
    const before = await app.get('/configs')
    const { catalog } = (await app.get('/catalog')).body
    expect(catalog).toEqual({
      name: 'test',
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
      degraded: false,
      error: null,
      warnings: [],
    })
    await replaceFile(join(folder, 'mcp.json'), '{"tracker": {"type": "pipe"}}')
    await app.host.app.catalog.refresh()
    const broken = await app.get('/configs')
    expect(broken.body).toEqual(before.body)
    expect((await app.get('/catalog')).body.catalog).toEqual({
      ...catalog,
      degraded: true,
      error: 'mcp.json: tracker.type: must be one of: stdio, sse, streamable-http, http',
    })
    await replaceFile(join(folder, 'mcp.json'), JSON.stringify(wholeCatalog['mcp.json']))
    await app.host.app.catalog.refresh()
    const mended = await app.get('/configs')
    expect([mended.body, mended.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')])
    expect((await app.get('/catalog')).body.catalog).toEqual(catalog)
  })
})

describe('POST /catalog/refresh', () => {
  test('POST /catalog/refresh answers 200 with the catalog as its files are now', async () => {
    const before = (await app.get('/catalog')).body.catalog.version
    const goals = { newer: { name: 'Newer', description: 'Made just now.' } }
    await replaceFile(join(folder, 'goals.json'), JSON.stringify({ goals }))
    const { status, body } = await app.post('/catalog/refresh')
    expect({ status, body }).toMatchObject({ status: 200, body: { catalog: { degraded: false, error: null } } })
    expect(body.catalog.version).not.toBe(before)
    expect((await app.get('/configs')).body.goals).toEqual([{ id: 'newer', ...goals.newer }])
    await replaceFile(join(folder, 'goals.json'), JSON.stringify(wholeCatalog['goals.json']))
    expect((await app.post('/catalog/refresh')).body.catalog.version).toBe(before)
  })
})

describe('the lists of the catalog answer 200', () => {
  test('GET /mcp_servers, with unavailable servers flagged instead of omitted', async () => {
    expect(await app.get('/mcp_servers')).toMatchObject({ status: 200, body: { mcp_servers: servers } })
  })

  test('GET /skills answers 200 with the skills of the catalog', async () => {
    expect(await app.get('/skills')).toMatchObject({
      status: 200,
      body: {
        skills: [
          {
            id: 'tidy',
            name: 'tidy',
            title: 'Tidy',
            description: 'Tidies.',
            category: 'workflow',
            user_invocable: false,
          },
        ],
      },
    })
  })

  test('GET /hooks answers 200 with the hooks of the catalog', async () => {
    const hooks = [{ id: 'format', name: 'format', title: 'format', description: 'Formats.', event: 'session_start' }]
    expect(await app.get('/hooks')).toMatchObject({ status: 200, body: { hooks } })
  })

  test('GET /plugins answers 200 with the plugins of the catalog', async () => {
    const kit = {
      id: 'kit',
      title: 'kit',
      description: 'A kit.',
      version: '1.0.0',
      skills: [],
      mcp_servers: ['search'],
      hooks: ['format'],
      plugins: [],
      keywords: ['x'],
    }
    expect(await app.get('/plugins')).toMatchObject({ status: 200, body: { plugins: [kit] } })
  })
})

describe('GET /api/secrets/keys', () => {
  test('GET /api/secrets/keys answers 200 with names and never with values', async () => {
    await keepSecrets(app.home, {
      TRACKER_TOKEN: { value: 'tracker-value-1', description: 'Issue tracker' },
      SPARE: { value: 'spare-value-1' },
    })
    await app.host.app.catalog.refresh()
    const { status, headers, body } = await app.get('/api/secrets/keys')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({
      secrets: [
        { name: 'SPARE', description: null, source: 'file', used_by: [] },
        {
          name: 'TRACKER_TOKEN',
          description: 'Issue tracker',
          source: 'file',
          used_by: ['mcp_servers/search', 'mcp_servers/tracker'],
        },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('-value-')
    // Values that an agent prints are redacted before they are stored.
    expect(await app.host.app.redactor.text('got tracker-value-1')).toBe('got [REDACTED:ENV:TRACKER_TOKEN]')
  })
})

test.each([
  '/api/v1/configs',
  '/api/v1/mcp_servers',
  '/api/v1/skills',
  '/api/v1/hooks',
  '/api/v1/plugins',
  '/api/secrets/keys',
])('GET %s answers 401 without a key', async (path) => {
  const response = await app.send(path)
  expect([response.status, await response.json()]).toEqual([
    401,
    { error: 'Unauthorized', message: 'Invalid or missing API key', messages: ['Invalid or missing API key'] },
  ])
})
