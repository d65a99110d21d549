import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { catalogOnDisk, wholeCatalog } from '../../support/app/catalog-app.ts'
import { replaceFile } from '../../support/app/catalog-folder.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const folder = await catalogOnDisk()
const app = testApp({ environment: { ROLE: 'web', CATALOG_PATH: folder } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'events')
  await app.pool.query(`update settings set default_runtime = 'demo', default_model = null`)
})

const create = (body: Record<string, unknown>) => app.post('/sessions', body)
const deadWarning = 'MCP server dead cannot start right now (Retired). The session runs without it until then.'

describe('a session on a root', () => {
  test('a session on a root takes every unset field from the root', async () => {
    const { status, body } = await create({ agent_root: 'web' })
    expect(status).toBe(201)
    expect(body.session).toMatchObject({
      git_root: 'https://forge.test/acme/web.git',
      branch: 'trunk',
      subdirectory: 'apps/site',
      goal: 'question',
      agent_runtime: 'demo',
      config: { model: 'demo' },
      mcp_servers: ['tracker', 'dead'],
      all_mcp_servers: ['tracker', 'dead', 'search'],
      injected_mcp_servers: [],
      catalog_skills: ['tidy'],
      catalog_hooks: [],
      catalog_plugins: ['kit'],
      metadata: { agent_root_key: 'web', catalog_version: app.host.app.catalog.current().version },
    })
    expect(body.session.metadata).not.toHaveProperty('mcp_servers_explicitly_empty')
    expect((await app.get('/sessions')).body.sessions[0].all_mcp_servers).toEqual(['tracker', 'dead', 'search'])
    expect((await app.get('/sessions/1')).body.session).toEqual(body.session)
  })

  test('a session on a root stores the shown name of the root, however the caller named it', async () => {
    expect((await create({ agent_root: '@local/web' })).body.session.metadata.agent_root_key).toBe('web')
  })

  test('a session on a root can override each field of the root', async () => {
    const { body } = await create({
      agent_root: 'web',
      git_root: '/srv/other',
      branch: 'feature',
      subdirectory: 'docs',
      goal: 'Something else',
      mcp_servers: ['search'],
      catalog_skills: [],
      catalog_plugins: null,
    })
    expect(body.session).toMatchObject({
      git_root: '/srv/other',
      branch: 'feature',
      subdirectory: 'docs',
      goal: 'Something else',
      mcp_servers: ['search'],
      catalog_skills: [],
      catalog_plugins: ['kit'],
    })
  })

  test('a session on a root clears goal and subdirectory with a blank value', async () => {
    const { body } = await create({ agent_root: 'web', goal: '', subdirectory: '' })
    expect(body.session).toMatchObject({ goal: null, subdirectory: null })
  })

  test('a session on a root uses the default model when the runtime does not have the model of the root', async () => {
    expect((await create({ agent_root: 'api' })).body.session.config).toEqual({ model: 'demo' })
  })

  test('a session on a root requires a repository when the root has none', async () => {
    expectProblem(await create({ agent_root: 'bare' }), 422, 'Validation failed', "Git root can't be blank")
    expect((await create({ agent_root: 'bare', git_root: '/srv/x' })).status).toBe(201)
  })

  test('a session on a root rejects an unknown agent root with 422 and changes nothing', async () => {
    const answer = await changesNothing(app.pool, () => create({ agent_root: 'gone', git_root: '/srv/x' }))
    expectProblem(answer, 422, 'Invalid agent_root', 'No agent root named "gone" is in the catalog')
  })
})

describe('the four lists', () => {
  const request = { git_root: '/srv/x', agent_runtime: 'demo' }

  test('the four lists are empty without a root and without a selection', async () => {
    const { body } = await create(request)
    expect(body.session).toMatchObject({ mcp_servers: [], catalog_skills: [], catalog_hooks: [], catalog_plugins: [] })
    expect(body.session.metadata).toEqual({ auto_generated_title: true })
  })

  test('the four lists are stored as given, trimmed and without duplicates', async () => {
    const { body } = await create({
      ...request,
      mcp_servers: [' tracker ', '', 'tracker', '@local/search'],
      catalog_skills: ['tidy'],
      catalog_hooks: ['format'],
      catalog_plugins: ['kit'],
    })
    expect(body.session).toMatchObject({
      mcp_servers: ['tracker', 'search'],
      all_mcp_servers: ['tracker', 'search'],
      catalog_skills: ['tidy'],
      catalog_hooks: ['format'],
      catalog_plugins: ['kit'],
    })
  })

  test.each([[[]], [['', ' ']]])(
    'an empty list of servers (%j) overrides the default of the root',
    async (mcp_servers) => {
      const { body } = await create({ agent_root: 'web', mcp_servers })
      expect(body.session).toMatchObject({ mcp_servers: [], metadata: { mcp_servers_explicitly_empty: true } })
      // The servers of plugins still apply.
      expect(body.session.all_mcp_servers).toEqual(['search'])
    },
  )

  test('POST /sessions rejects all unknown names in the four lists in one 422 and changes nothing', async () => {
    const answer = await changesNothing(app.pool, () =>
      create({
        ...request,
        mcp_servers: ['tracker', 'a', 'b'],
        catalog_skills: ['toString'],
        catalog_hooks: ['__proto__'],
        catalog_plugins: ['x'.repeat(300)],
      }),
    )
    expectProblem(
      answer,
      422,
      'Validation failed',
      'Mcp servers contains invalid server(s): a, b',
      'Catalog skills contains invalid skill(s): toString',
      'Catalog hooks contains invalid hook(s): __proto__',
      `Catalog plugins contains invalid plugin(s): ${'x'.repeat(100)}`,
    )
  })

  test.each([
    [{ mcp_servers: 'tracker' }, 'Mcp servers must be an array'],
    [{ catalog_skills: {} }, 'Catalog skills must be an array'],
    [{ catalog_hooks: [7] }, 'Catalog hooks must be a string'],
    [{ mcp_servers: Array(51).fill('tracker') }, 'Mcp servers has too many entries (maximum is 50)'],
    [{ catalog_skills: Array(101).fill('tidy') }, 'Catalog skills has too many entries (maximum is 100)'],
    [{ catalog_hooks: Array(101).fill('format') }, 'Catalog hooks has too many entries (maximum is 100)'],
    [{ catalog_plugins: Array(51).fill('kit') }, 'Catalog plugins has too many entries (maximum is 50)'],
  ])('POST /sessions answers 422 to the lists %j', async (lists, message) => {
    expectProblem(
      await changesNothing(app.pool, () => create({ ...request, ...lists })),
      422,
      'Validation failed',
      message,
    )
  })

  test('a plugin that left the catalog adds nothing, and the session can still be shown', async () => {
    await create({ ...request, catalog_plugins: ['kit'] })
    await replaceFile(join(folder, 'plugins.json'), '{}')
    await replaceFile(join(folder, 'roots.json'), '{}')
    await app.host.app.catalog.refresh()
    expect((await app.get('/sessions/1')).body.session).toMatchObject({ catalog_plugins: ['kit'], all_mcp_servers: [] })
    for (const name of ['plugins.json', 'roots.json']) {
      await replaceFile(join(folder, name), JSON.stringify(wholeCatalog[name]))
    }
    await app.host.app.catalog.refresh()
    expect((await app.get('/sessions/1')).body.session.all_mcp_servers).toEqual(['search'])
  })
})

describe('warnings', () => {
  test('list servers that cannot start, in the answer and in the log of the session', async () => {
    const { status, body } = await create({
      git_root: '/srv/x',
      agent_runtime: 'demo',
      mcp_servers: ['dead', 'blind', 'tracker'],
      prompt: 'say hello',
    })
    const warnings = [
      deadWarning,
      'MCP server blind cannot start right now (`YARD_TEST_NEVER_SET` unresolved). The session runs without it until then.',
    ]
    expect([status, body.warnings]).toEqual([201, warnings])
    expect(body.session.job_id).not.toBeNull()
    const { rows } = await app.pool.query('select level, content from session_logs order by id')
    expect(rows).toEqual(warnings.map((content) => ({ level: 'warning', content })))
  })

  test('warnings are absent when every server can start', async () => {
    const { body } = await create({ git_root: '/srv/x', agent_runtime: 'demo', mcp_servers: ['tracker'] })
    expect(body).not.toHaveProperty('warnings')
  })
})
