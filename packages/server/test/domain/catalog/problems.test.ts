import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  catalogFolder,
  emptyFolder,
  openedCatalog,
  problemOf,
  problemWith,
  writeFiles,
} from '../../support/app/catalog-folder.ts'

const stdio = { type: 'stdio', command: 'node' }
const namesOf = (things: readonly { name: string }[]): string[] => things.map(({ name }) => name)

describe('problems are reported by file and key', () => {
  const remote = { type: 'streamable-http', url: 'https://mcp.test/x' }

  test.each([
    ['air.json without a name', { 'air.json': {} }, 'air.json: name: is required'],
    [
      'a bad name',
      { 'air.json': { name: 'a b' } },
      'air.json: name: must be of letters, digits, hyphens and underscores',
    ],
    [
      'a value that is not a list',
      { 'air.json': { name: 'x', mcp: 'mcp.json' } },
      'air.json: mcp: must be of type array',
    ],
    [
      'a root that is its own subagent root',
      { 'roots.json': { api: { description: 'x', url: 'https://git.test/x', default_subagent_roots: ['api'] } } },
      'roots.json: api.default_subagent_roots: a root cannot be a subagent root of itself',
    ],
    ['invalid JSON', { 'mcp.json': '{"one": }' }, 'mcp.json: is not valid JSON'],
    ['JSON that is not an object', { 'mcp.json': '[]' }, 'mcp.json: must hold a JSON object'],
    [
      'a missing index',
      { 'air.json': { name: 'x', mcp: ['no.json'] } },
      'air.json: mcp[0]: The path "no.json" does not exist',
    ],
    ['an entry that is not an object', { 'mcp.json': { one: 'node' } }, 'mcp.json: one: must be of type object'],
    ['a bad id', { 'mcp.json': { '../up': stdio } }, 'mcp.json: "../up": is not a valid id'],
    [
      'an unknown type',
      { 'mcp.json': { one: { type: 'pipe' } } },
      'mcp.json: one.type: must be one of: stdio, sse, streamable-http, http',
    ],
    [
      'stdio without a command',
      { 'mcp.json': { one: { type: 'stdio' } } },
      'mcp.json: one.command: is required for a server of type stdio',
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
      'mcp.json: one.url: is required for a server of type sse',
    ],
    [
      'a url of another kind',
      { 'mcp.json': { one: { type: 'sse', url: 'file:///etc/passwd' } } },
      'mcp.json: one.url: must begin with http:// or https://',
    ],
    ['a skill without a path', { 'skills.json': { a: { description: 'A.' } } }, 'skills.json: a.path: is required'],
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
      'hooks/a/HOOK.json: command: is required',
    ],
    [
      'a missing reference file',
      { 'references.json': { a: { description: 'A.', path: 'a.md' } } },
      'references.json: a.path: "a.md" does not exist',
    ],
    [
      'a dangling default',
      { 'roots.json': { web: { description: 'W.', default_skills: ['gone'] } } },
      'roots.json: web.default_skills: "gone" is not a skill in the catalog',
    ],
    [
      'a dangling member',
      { 'plugins.json': { kit: { description: 'K.', mcp_servers: ['gone'] } } },
      'plugins.json: kit.mcp_servers: "gone" is not an MCP server in the catalog',
    ],
    [
      'a dangling root',
      { 'mcp.json': { one: { ...stdio, default_in_roots: ['gone'] } } },
      'mcp.json: one.default_in_roots: "gone" is not a root in the catalog',
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
    ['a plugin without a description', { 'plugins.json': { kit: {} } }, 'plugins.json: kit.description: is required'],
  ])('a catalog with %s is rejected, naming file and key', async (_what, files, problem) => {
    const { folder, home } = await catalogFolder(files)
    expect(await problemWith(folder, { home })).toBe(
      `StartupError: The catalog ${folder} cannot be used: ${problem}${problem.endsWith('is not a valid id') ? ': a letter or digit, then letters, digits, hyphens, underscores and dots, up to 100 characters' : ''}.`,
    )
  })

  test('loading a catalog reports all problems at once', async () => {
    const problem = await problemOf({
      'mcp.json': { one: { type: 'stdio' }, two: { type: 'sse' } },
      'skills.json': { tidy: { description: 'Tidies.', path: 'gone' } },
      // Not reported: references to entries that could not be read.
      'roots.json': { web: { description: 'W.', default_mcp_servers: ['one'] } },
    })
    expect(problem.split('; ')).toHaveLength(3)
  })

  test('loading a catalog limits the number of problems reported', async () => {
    const servers = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, {}]))
    expect(await problemOf({ 'mcp.json': servers })).toMatch(/; and 10 more\.$/)
  })

  test('loading a catalog reports a path that does not exist', async () => {
    const folder = await emptyFolder()
    expect(await problemWith(join(folder, 'none.json'))).toBe(
      `StartupError: The catalog ${folder}/none.json cannot be used: ${folder}/none.json: does not exist.`,
    )
  })
})

describe('hostile content does no harm', () => {
  test('loading a catalog treats prototype keys as data or rejects them as ids', async () => {
    const { catalog } = await openedCatalog({
      'mcp.json':
        '{"constructor": {"type": "stdio", "command": "x", "__proto__": {"polluted": true}, "env": {"__proto__": "y"}}, "hasOwnProperty": {"type": "stdio", "command": "x"}}',
    })
    expect(namesOf(catalog.current().mcpServers.list)).toEqual(['constructor', 'hasOwnProperty'])
    expect(catalog.current().mcpServers.find('toString')).toBeUndefined()
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(await problemOf({ 'mcp.json': '{"__proto__": {"type": "stdio", "command": "x"}}' })).toContain(
      'is not a valid id',
    )
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
  ])('loading a catalog rejects a path that leaves the folder (%s)', async (_where, files, problem) => {
    expect(await problemOf(files)).toContain(problem)
  })

  test('loading a catalog rejects symbolic links that leave the folder', async () => {
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
    const problem = await problemWith(folder, { home })
    expect(problem).toContain('air.json: mcp[0]: The path "out" leads outside its folder')
    expect(problem).toContain('skills.json: a.path: skills/a/notes.md is a link that leads out of the catalog')
    expect(problem).toContain('hooks.json: b.path: The path "hooks/b" leads outside its folder')
    expect(problem).toContain('references.json: c.path: The path "c.md" leads outside its folder')
  })

  test('loading a catalog rejects files and folders that are too large', async () => {
    expect(await problemOf({ 'mcp.json': `{"one": "${'x'.repeat(1024 * 1024)}"}` })).toContain(
      'mcp.json: is larger than 1024 KB',
    )
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`skills/a/${index}.txt`, '']))
    expect(
      await problemOf({
        'skills.json': { a: { description: 'A.', path: 'skills/a' } },
        'skills/a/SKILL.md': '',
        ...many,
      }),
    ).toContain('skills.json: a.path: a holds more than 500 files')
  })

  test('loading a catalog never quotes the content of a file in a message', async () => {
    expect(await problemOf({ 'mcp.json': '{"one": {"env": {"TOKEN": "hunter2-hunter2" oops' })).not.toContain('hunter2')
  })
})
