import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openCatalog } from '../../src/domain/catalog/catalog.ts'
import {
  catalogFolder,
  complaintAbout,
  complaintOf,
  emptyFolder,
  hook,
  openedCatalog,
  skill,
  writeFiles,
} from '../support/catalog-folder.ts'
import { silentLog } from '../support/silent-log.ts'

const stdio = { type: 'stdio', command: 'node' }
const namesOf = (things: readonly { name: string }[]): string[] => things.map(({ name }) => name)

describe('a catalog', () => {
  test('is read from its index files, with every name resolved', async () => {
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

  test('may name a directory for the index in it, and a skill beside its index', async () => {
    const { catalog } = await openedCatalog({
      'air.json': { name: 'test', skills: ['skills'], mcp: ['./servers'] },
      'skills/skills.json': { tidy: { description: 'Tidies.', path: './upkeep/tidy' } },
      'skills/upkeep/tidy/SKILL.md': '# Tidy\n',
      'servers/mcp.json': { one: stdio },
    })
    expect(catalog.current().skills.find('tidy')?.category).toBe('upkeep')
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['one'])
  })

  test('is found by its folder as well', async () => {
    const { folder, home } = await catalogFolder({ 'mcp.json': { one: stdio } })
    const catalog = await openCatalog({ path: folder, home, environment: {}, log: silentLog })
    await catalog.close()
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['one'])
  })

  test('has one version for the same files wherever they lie, and another when a byte of a body differs', async () => {
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

  test('cannot be changed by whoever holds it', async () => {
    const { catalog } = await openedCatalog({ 'mcp.json': { one: stdio } })
    const tree = catalog.current()
    expect(() => Object.assign(tree.mcpServers.list[0] ?? {}, { name: 'two' })).toThrow(TypeError)
    expect(() => (tree.mcpServers.list as unknown[]).push({})).toThrow(TypeError)
  })

  test('tells of keys it does not know and ignores them', async () => {
    const { catalog } = await openedCatalog({ 'mcp.json': { one: { ...stdio, comand: 'x' } } })
    expect(catalog.status().warnings).toEqual(['mcp.json: one.comand: is not known and ignored'])
  })

  test('keeps a hook with an event it does not know, and says so', async () => {
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

  test('is a union; a name that two have is shown with its scope, and means its own inside each', async () => {
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

  test('exclude drops what it names, and whatever refers to that does without', async () => {
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
    expect(catalog.status().warnings).toEqual(['air.json: exclude.mcp: "nobody" names nothing'])
  })

  test('the catalog itself may name another folder of the machine by its absolute path', async () => {
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
      'mcp.json: one.command: stands there twice',
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
  ])('%s is refused', async (_what, files, complaint) => {
    expect(await complaintOf(files)).toContain(complaint)
  })
})

describe('plugins', () => {
  test('expand depth first, each thing once', async () => {
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

  test('may have a manifest in a folder; what the index says wins', async () => {
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

  test('that go round in a circle are refused', async () => {
    const complaint = await complaintOf({
      'plugins.json': {
        one: { description: 'One.', plugins: ['two'] },
        two: { description: 'Two.', plugins: ['one'] },
      },
    })
    expect(complaint).toContain('plugins.json: one.plugins: one > two > one goes round in a circle')
  })
})

describe('default_in_roots', () => {
  test('turns into the default lists of the roots it names, or of all by a star', async () => {
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

describe('what is wrong is told by file and key', () => {
  const remote = { type: 'streamable-http', url: 'https://mcp.test/x' }

  test.each([
    ['air.json without a name', { 'air.json': {} }, 'air.json: name: is needed'],
    [
      'a bad name',
      { 'air.json': { name: 'a b' } },
      'air.json: name: must be of letters, digits, hyphens and underscores',
    ],
    ['a list that is none', { 'air.json': { name: 'x', mcp: 'mcp.json' } }, 'air.json: mcp: must be of type array'],
    ['no JSON', { 'mcp.json': '{"one": }' }, 'mcp.json: is not valid JSON'],
    ['JSON that is no object', { 'mcp.json': '[]' }, 'mcp.json: must hold a JSON object'],
    [
      'a missing index',
      { 'air.json': { name: 'x', mcp: ['no.json'] } },
      'air.json: mcp[0]: The path "no.json" does not exist',
    ],
    ['an entry that is none', { 'mcp.json': { one: 'node' } }, 'mcp.json: one: must be of type object'],
    ['a bad id', { 'mcp.json': { '../up': stdio } }, 'mcp.json: "../up": is no id'],
    [
      'an unknown type',
      { 'mcp.json': { one: { type: 'pipe' } } },
      'mcp.json: one.type: must be one of: stdio, sse, streamable-http, http',
    ],
    [
      'stdio without a command',
      { 'mcp.json': { one: { type: 'stdio' } } },
      'mcp.json: one.command: is needed by a server of type stdio',
    ],
    [
      'stdio with a url',
      { 'mcp.json': { one: { ...stdio, url: 'https://x.test' } } },
      'mcp.json: one.url: is not for a server of type stdio',
    ],
    [
      'a remote one with a command',
      { 'mcp.json': { one: { ...remote, command: 'x' } } },
      'mcp.json: one.command: is not for a server of type streamable-http',
    ],
    [
      'a remote one without a url',
      { 'mcp.json': { one: { type: 'sse' } } },
      'mcp.json: one.url: is needed by a server of type sse',
    ],
    [
      'a url of another kind',
      { 'mcp.json': { one: { type: 'sse', url: 'file:///etc/passwd' } } },
      'mcp.json: one.url: must begin with http:// or https://',
    ],
    ['a skill without a path', { 'skills.json': { a: { description: 'A.' } } }, 'skills.json: a.path: is needed'],
    [
      'a missing folder',
      { 'skills.json': { a: { description: 'A.', path: 'skills/a' } } },
      'skills.json: a.path: "skills/a" does not exist',
    ],
    [
      'a folder without SKILL.md',
      { 'skills.json': { a: { description: 'A.', path: 'skills/a' } }, 'skills/a/README.md': '' },
      'skills.json: a.path: skills/a/SKILL.md is missing',
    ],
    [
      'a hook without HOOK.json',
      { 'hooks.json': { a: { description: 'A.', path: 'hooks/a' } }, 'hooks/a/run.sh': '' },
      'hooks.json: a.path: hooks/a/HOOK.json is missing',
    ],
    [
      'a HOOK.json without a command',
      { 'hooks.json': { a: { description: 'A.', path: 'hooks/a' } }, 'hooks/a/HOOK.json': { event: 'stop' } },
      'hooks/a/HOOK.json: command: is needed',
    ],
    [
      'a missing reference file',
      { 'references.json': { a: { description: 'A.', path: 'a.md' } } },
      'references.json: a.path: "a.md" does not exist',
    ],
    [
      'a dangling default',
      { 'roots.json': { web: { description: 'W.', default_skills: ['gone'] } } },
      'roots.json: web.default_skills: "gone" is no skill of the catalog',
    ],
    [
      'a dangling member',
      { 'plugins.json': { kit: { description: 'K.', mcp_servers: ['gone'] } } },
      'plugins.json: kit.mcp_servers: "gone" is no MCP server of the catalog',
    ],
    [
      'a dangling root',
      { 'mcp.json': { one: { ...stdio, default_in_roots: ['gone'] } } },
      'mcp.json: one.default_in_roots: "gone" is no root of the catalog',
    ],
    [
      'a root that leaves its repository',
      { 'roots.json': { web: { description: 'W.', subdirectory: '../x' } } },
      'roots.json: web.subdirectory: must be a relative path inside the repository',
    ],
    [
      'a repository with a password',
      { 'roots.json': { web: { description: 'W.', url: 'https://a:b@forge.test/x.git' } } },
      'roots.json: web.url: must be the URL or the absolute path of a git repository, and hold no secrets',
    ],
    ['a plugin without a description', { 'plugins.json': { kit: {} } }, 'plugins.json: kit.description: is needed'],
  ])('%s', async (_what, files, complaint) => {
    const { folder, home } = await catalogFolder(files)
    expect(await complaintAbout(folder, { home })).toBe(
      `Unfit: The catalog ${folder} cannot be used: ${complaint}${complaint.endsWith('is no id') ? ': one begins with a letter or digit and goes on with these, hyphens, underscores and dots, up to 100' : ''}.`,
    )
  })

  test('all of it at once', async () => {
    const complaint = await complaintOf({
      'mcp.json': { one: { type: 'stdio' }, two: { type: 'sse' } },
      'skills.json': { tidy: { description: 'Tidies.', path: 'gone' } },
      // Not told: who refers to what could not be read is not to blame.
      'roots.json': { web: { description: 'W.', default_mcp_servers: ['one'] } },
    })
    expect(complaint.split('; ')).toHaveLength(3)
  })

  test('but no more than anybody reads', async () => {
    const servers = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, {}]))
    expect(await complaintOf({ 'mcp.json': servers })).toMatch(/; and 10 more\.$/)
  })

  test('a path that leads nowhere', async () => {
    const folder = await emptyFolder()
    expect(await complaintAbout(join(folder, 'none.json'))).toBe(
      `Unfit: The catalog ${folder}/none.json cannot be used: ${folder}/none.json: does not exist.`,
    )
  })
})

describe('hostile content does no harm', () => {
  test('keys of the prototype are data, or no ids', async () => {
    const { catalog } = await openedCatalog({
      'mcp.json':
        '{"constructor": {"type": "stdio", "command": "x", "__proto__": {"polluted": true}, "env": {"__proto__": "y"}}, "hasOwnProperty": {"type": "stdio", "command": "x"}}',
    })
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['constructor', 'hasOwnProperty'])
    expect(catalog.current().mcpServers.find('toString')).toBeUndefined()
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(await complaintOf({ 'mcp.json': '{"__proto__": {"type": "stdio", "command": "x"}}' })).toContain('is no id')
  })

  test.each([
    [
      'in air.json',
      { 'air.json': { name: 'x', mcp: ['../mcp.json'] } },
      'air.json: mcp[0]: The path "../mcp.json" must not contain ".."',
    ],
    [
      'in an index',
      { 'skills.json': { a: { description: 'A.', path: 'x/../../y' } } },
      'skills.json: a.path: The path "x/../../y" must not contain ".."',
    ],
    [
      'absolute',
      { 'references.json': { a: { description: 'A.', path: '/etc/passwd' } } },
      'references.json: a.path: The path "/etc/passwd" must be relative',
    ],
    ['with a NUL', { 'skills.json': { a: { description: 'A.', path: 'a\0b' } } }, 'contains a NUL character'],
  ])('a path that leads out, %s, is refused', async (_where, files, complaint) => {
    expect(await complaintOf(files)).toContain(complaint)
  })

  test('links that lead out are refused wherever they stand', async () => {
    const { folder, home } = await catalogFolder({
      'skills.json': { a: { description: 'A.', path: 'skills/a' } },
      'hooks.json': { b: { description: 'B.', path: 'hooks/b' } },
      'references.json': { c: { description: 'C.', path: 'c.md' } },
      'air.json': {
        name: 'x',
        skills: ['skills.json'],
        hooks: ['hooks.json'],
        references: ['references.json'],
        mcp: ['out'],
      },
      'skills/a/SKILL.md': '# A\n',
    })
    const outside = await emptyFolder()
    await writeFiles(outside, {
      'HOOK.json': { event: 'stop', command: 'x' },
      'c.md': 'secret',
      'mcp.json': { x: stdio },
    })
    await symlink(join(outside, 'c.md'), join(folder, 'c.md'))
    await symlink(join(outside, 'c.md'), join(folder, 'skills/a/notes.md'))
    await mkdir(join(folder, 'hooks'))
    await symlink(outside, join(folder, 'hooks/b'))
    await symlink(outside, join(folder, 'out'))
    const complaint = await complaintAbout(folder, { home })
    expect(complaint).toContain('air.json: mcp[0]: The path "out" leads outside its folder')
    expect(complaint).toContain('skills.json: a.path: skills/a/notes.md is a link that leads out of the catalog')
    expect(complaint).toContain('hooks.json: b.path: The path "hooks/b" leads outside its folder')
    expect(complaint).toContain('references.json: c.path: The path "c.md" leads outside its folder')
  })

  test('files that are too large, and folders that hold too much', async () => {
    expect(await complaintOf({ 'mcp.json': `{"one": "${'x'.repeat(1024 * 1024)}"}` })).toContain(
      'mcp.json: is larger than 1024 KB',
    )
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`skills/a/${index}.txt`, '']))
    expect(
      await complaintOf({
        'skills.json': { a: { description: 'A.', path: 'skills/a' } },
        'skills/a/SKILL.md': '',
        ...many,
      }),
    ).toContain('skills.json: a.path: a holds more than 500 files')
  })

  test('what a file holds is never repeated in a sentence', async () => {
    expect(await complaintOf({ 'mcp.json': '{"one": {"env": {"TOKEN": "hunter2-hunter2" oops' })).not.toContain(
      'hunter2',
    )
  })
})
