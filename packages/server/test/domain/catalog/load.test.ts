import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/domain/catalog/catalog.ts'
import {
  catalogFolder,
  emptyFolder,
  hook,
  openedCatalog,
  problemOf,
  skill,
  writeFiles,
} from '../../support/app/catalog-folder.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const stdio = { type: 'stdio', command: 'node' }
const namesOf = (things: readonly { name: string }[]): string[] => things.map(({ name }) => name)

describe('a catalog', () => {
  test('a catalog is read from its index files, with every name resolved', async () => {
    const { catalog, folder } = await openedCatalog({
      'roots.json': {
        $schema: 'https://example.test/roots.schema.json',
        web: {
          description: 'The site.',
          url: 'https://forge.test/acme/web.git',
          subdirectory: 'apps/site',
          default_mcp_servers: ['tracker'],
          default_skills: ['@local/run-tests'],
          default_goal: 'question',
        },
      },
      'mcp.json': { tracker: { ...stdio, title: 'Tracker', args: ['--quiet'] } },
      'skills.json': {
        'run-tests': { description: 'Runs tests.', path: 'skills/workflow/run-tests', references: ['style'] },
      },
      'hooks.json': { format: { description: 'Formats.', path: 'hooks/format' } },
      'plugins.json': {
        loop: { description: 'All of it.', version: '1.2.3', skills: ['run-tests'], hooks: ['format'] },
      },
      'references.json': { style: { description: 'Style.', file: 'docs/style.md' } },
      'goals.json': { goals: { question: { name: 'Question', description: 'Answer it.' } } },
      'docs/style.md': '# Style\n',
      ...skill('run-tests'),
      ...hook('format', { event: 'post_tool_call', matcher: 'Edit', args: ['./x'], timeout_seconds: 5 }),
    })
    const tree = catalog.current()
    expect(tree.roots.find('web')).toMatchObject({
      name: 'web',
      qualifiedName: '@local/web',
      title: 'web',
      url: 'https://forge.test/acme/web.git',
      defaultBranch: 'main',
      isUserInvocable: true,
      defaultMcpServers: ['tracker'],
      defaultSkills: ['run-tests'],
      defaultGoal: 'question',
    })
    expect(tree.mcpServers.find('@local/tracker')).toMatchObject({ title: 'Tracker', transport: { args: ['--quiet'] } })
    expect(tree.skills.find('run-tests')).toMatchObject({
      folder: join(folder, 'skills/workflow/run-tests'),
      category: 'workflow',
      references: [{ name: 'style.md', path: join(folder, 'docs/style.md') }],
    })
    expect(tree.hooks.find('format')).toMatchObject({
      folder: join(folder, 'hooks/format'),
      event: 'post_tool_call',
      command: './run.sh',
      timeoutSeconds: 5,
      matcher: 'Edit',
    })
    expect(tree.plugins.find('loop')).toMatchObject({ skills: ['run-tests'], hooks: ['format'], version: '1.2.3' })
    expect(tree.goals.find('question')).toMatchObject({ title: 'Question', description: 'Answer it.' })
    expect(tree.version).toMatch(/^[0-9a-f]{16}$/)
    expect(tree.warnings).toEqual([])
  })

  test('a catalog can name a directory instead of its index file, and a skill relative to the index', async () => {
    const { catalog } = await openedCatalog({
      'air.json': { name: 'test', skills: ['skills'], mcp: ['./servers'] },
      'skills/skills.json': { tidy: { description: 'Tidies.', path: './upkeep/tidy' } },
      'skills/upkeep/tidy/SKILL.md': '# Tidy\n',
      'servers/mcp.json': { one: stdio },
    })
    expect(catalog.current().skills.find('tidy')?.category).toBe('upkeep')
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['one'])
  })

  test('a catalog can be given as a folder', async () => {
    const { folder, home } = await catalogFolder({ 'mcp.json': { one: stdio } })
    const catalog = await openCatalog({ path: folder, home, environment: {}, log: silentLog })
    await catalog.close()
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['one'])
  })

  test('a catalog has the same version for the same files in any folder, and another when one byte differs', async () => {
    const files = {
      'skills.json': { tidy: { description: 'Tidies.', path: 'skills/workflow/tidy' } },
      ...skill('tidy'),
    }
    const [one, same, other] = await Promise.all([
      openedCatalog(files),
      openedCatalog(files),
      openedCatalog({ ...files, 'skills/workflow/tidy/extra.sh': 'echo\n' }),
    ])
    expect(same?.catalog.current().version).toBe(one?.catalog.current().version)
    expect(other?.catalog.current().version).not.toBe(one?.catalog.current().version)
  })

  test('a catalog is immutable', async () => {
    const { catalog } = await openedCatalog({ 'mcp.json': { one: stdio } })
    const tree = catalog.current()
    expect(() => Object.assign(tree.mcpServers.list[0] ?? {}, { name: 'two' })).toThrow(TypeError)
    expect(() => (tree.mcpServers.list as unknown[]).push({})).toThrow(TypeError)
  })

  test('a catalog warns about unknown keys and ignores them', async () => {
    const { catalog } = await openedCatalog({ 'mcp.json': { one: { ...stdio, comand: 'x' } } })
    expect(catalog.status().warnings).toEqual(['mcp.json: one.comand: is not known and ignored'])
  })

  test('a catalog keeps a hook with an unknown event and warns about it', async () => {
    const { catalog } = await openedCatalog({
      'hooks.json': { odd: { description: 'Odd.', path: 'hooks/odd' } },
      ...hook('odd', { event: 'full_moon' }),
    })
    expect(catalog.current().hooks.find('odd')?.event).toBeUndefined()
    expect(catalog.status().warnings.join()).toMatch(/^hooks\/odd\/HOOK.json: event: is not one of session_start, /)
  })
})

describe('composition', () => {
  const vendor = {
    'vendor/air.json': { name: 'acme', mcp: ['mcp.json'], plugins: ['plugins.json'] },
    'vendor/mcp.json': { tracker: stdio, search: stdio },
    'vendor/plugins.json': { kit: { description: 'A kit.', mcp_servers: ['tracker', 'search'] } },
  }

  test('composition is a union in which duplicate ids show their scope and resolve within their own catalog', async () => {
    const { catalog } = await openedCatalog({
      'air.json': { name: 'test', mcp: ['mcp.json'], catalogs: ['vendor'] },
      'mcp.json': { tracker: stdio },
      ...vendor,
    })
    const tree = catalog.current()
    expect(namesOf(tree.mcpServers.list)).toEqual(['@acme/tracker', '@local/tracker', 'search'])
    expect(tree.mcpServers.find('tracker')).toBeUndefined()
    expect(tree.mcpServers.find('@acme/search')?.name).toBe('search')
    expect(tree.mcpServers.find('@acme/tracker')?.plainName).toBe('acme-tracker')
    expect(tree.plugins.find('kit')?.mcpServers).toEqual(['@acme/tracker', 'search'])
  })

  test('exclude removes entries and the references to them', async () => {
    const { catalog } = await openedCatalog({
      'air.json': {
        name: 'test',
        mcp: ['mcp.json'],
        catalogs: ['vendor/air.json'],
        exclude: { mcp: ['@acme/tracker', 'nobody'] },
      },
      'mcp.json': { tracker: stdio },
      ...vendor,
    })
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['search', 'tracker'])
    expect(catalog.current().plugins.find('kit')?.mcpServers).toEqual(['search'])
    expect(catalog.status().warnings).toEqual(['air.json: exclude.mcp: "nobody" matches no entry'])
  })

  test('the main catalog can name a folder elsewhere by an absolute path', async () => {
    const elsewhere = await emptyFolder()
    await writeFiles(elsewhere, { 'air.json': { name: 'acme', mcp: ['mcp.json'] }, 'mcp.json': { far: stdio } })
    const { catalog } = await openedCatalog({ 'air.json': { name: 'test', catalogs: [elsewhere] } })
    expect(catalog.current().mcpServers.find('far')?.qualifiedName).toBe('@acme/far')
  })

  test.each([
    [
      'a duplicate',
      {
        'air.json': { name: 'test', mcp: ['mcp.json', 'more.json'] },
        'mcp.json': { one: stdio },
        'more.json': { one: stdio },
      },
      'more.json: one: @local/one is in mcp.json already; nothing overrides another entry (see exclude)',
    ],
    [
      'a key that stands twice in one file',
      { 'mcp.json': '{"one": {"type": "stdio", "command": "a", "command": "b"}}' },
      'mcp.json: one.command: is a duplicate key',
    ],
    [
      'a catalog composed of itself',
      { 'air.json': { name: 'test', catalogs: ['.'] } },
      'air.json: catalogs[0]: is composed already; a catalog is composed once, and not of itself',
    ],
    [
      'an absolute path in a composed catalog',
      { 'air.json': { name: 'test', catalogs: ['in'] }, 'in/air.json': { name: 'acme', catalogs: ['/etc'] } },
      'in/air.json: catalogs[0]: The path "/etc" must be relative',
    ],
    [
      'a catalog at a provider',
      { 'air.json': { name: 'test', catalogs: ['github://acme/catalog'] } },
      'air.json: catalogs[0]: is an address elsewhere, and only local paths are read; fetch it into a folder of the catalog and name that',
    ],
    [
      'an index at a provider',
      { 'air.json': { name: 'test', skills: ['github://acme/catalog/skills.json'] } },
      'air.json: skills[0]: is an address elsewhere, and only local paths are read; fetch it into a folder of the catalog and name that',
    ],
    [
      'a composed catalog that takes our own scope',
      { 'air.json': { name: 'test', catalogs: ['in'] }, 'in/air.json': { name: 'local' } },
      'in/air.json: name: a composed catalog cannot be named local',
    ],
  ])('a composition of catalogs with %s is refused', async (_what, files, problem) => {
    expect(await problemOf(files)).toContain(problem)
  })
})

describe('plugins', () => {
  test('expand depth first without duplicates', async () => {
    const { catalog } = await openedCatalog({
      'mcp.json': { a: stdio, b: stdio, c: stdio },
      'plugins.json': {
        outer: { description: 'Outer.', mcp_servers: ['a'], plugins: ['inner', 'deep'] },
        inner: { description: 'Inner.', mcp_servers: ['b', 'a'], plugins: ['deep'] },
        deep: { description: 'Deep.', mcp_servers: ['c'] },
      },
    })
    expect(catalog.current().plugins.find('outer')).toMatchObject({
      mcpServers: ['a', 'b', 'c'],
      plugins: ['inner', 'deep'],
    })
  })

  test('plugins can have a manifest in a folder, over which the index takes precedence', async () => {
    const { catalog } = await openedCatalog({
      'mcp.json': { a: stdio },
      'plugins.json': { kit: { path: 'plugins/kit', title: 'Our kit' } },
      'plugins/kit/.plugin/plugin.json': {
        name: 'kit',
        title: 'A kit',
        description: 'A kit.',
        version: '0.1.0',
        mcp_servers: ['a'],
      },
    })
    expect(catalog.current().plugins.find('kit')).toMatchObject({
      title: 'Our kit',
      description: 'A kit.',
      version: '0.1.0',
      mcpServers: ['a'],
    })
  })

  test('plugins with a cycle are rejected', async () => {
    const problem = await problemOf({
      'plugins.json': {
        one: { description: 'One.', plugins: ['two'] },
        two: { description: 'Two.', plugins: ['one'] },
      },
    })
    expect(problem).toContain('plugins.json: one.plugins: one > two > one is a cycle')
  })
})

describe('default_in_roots', () => {
  test('default_in_roots adds to the default lists of the roots it names, or of all roots by *', async () => {
    const { catalog } = await openedCatalog({
      'roots.json': {
        web: { description: 'Web.', default_mcp_servers: ['a'] },
        api: { description: 'API.', default_in_roots: ['*'] },
      },
      'mcp.json': { a: { ...stdio, default_in_roots: ['*'] }, b: { ...stdio, default_in_roots: ['api'] } },
      'skills.json': { tidy: { description: 'Tidies.', path: 'skills/workflow/tidy', default_in_roots: ['web'] } },
      ...skill('tidy'),
    })
    const { roots } = catalog.current()
    expect(roots.find('web')).toMatchObject({
      defaultMcpServers: ['a'],
      defaultSkills: ['tidy'],
      defaultSubagentRoots: ['api'],
    })
    // No root is its own subagent.
    expect(roots.find('api')).toMatchObject({ defaultMcpServers: ['a', 'b'], defaultSubagentRoots: [] })
  })
})
