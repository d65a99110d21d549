import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { equip } from '../../../src/runtimes/alpha/equip.ts'
import { providerAccess } from '../../../src/runtimes/alpha/login.ts'
import { removeSecrets } from '../../../src/runtimes/alpha/remove-secrets.ts'
import { type Equipment, type Hook, noEquipment } from '../../../src/runtimes/equipment.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'

let conversation: Conversation
let catalog: string
let clone: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-alpha-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  catalog = join(folder, 'catalog')
  clone = join(folder, 'clone')
  conversation = { id: 'id', home: join(folder, 'home'), workingDirectory: join(clone, 'packages', 'one') }
  await mkdir(conversation.workingDirectory, { recursive: true })
  await mkdir(join(clone, '.git'))
})

const giving = (equipment: Partial<Equipment>) => equip(conversation, { ...noEquipment, ...equipment })
const inHome = (...path: string[]) => join(conversation.home, ...path)
const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

describe('MCP servers', () => {
  test("MCP servers are written in the CLI's format to a file that only our user can read", async () => {
    await giving({
      mcpServers: [
        { name: 'local', kind: 'stdio', command: 'node', args: ['x.js'], env: { TOKEN: 'secret' } },
        { name: 'remote', kind: 'http', url: 'https://example.test/mcp', headers: { Authorization: 'Bearer x' } },
      ],
    })
    const path = inHome('yardmaster', 'mcp.json')
    expect(await json(path)).toEqual({
      mcpServers: {
        local: { type: 'stdio', command: 'node', args: ['x.js'], env: { TOKEN: 'secret' } },
        remote: { type: 'http', url: 'https://example.test/mcp', headers: { Authorization: 'Bearer x' } },
      },
    })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await giving({})
    expect(await json(path)).toEqual({ mcpServers: {} })
  })

  test('MCP servers of the repository that are not used are named, from every folder up to its root', async () => {
    await place(join(clone, '.mcp.json'), '{"mcpServers":{"theirs":{"command":"x"},"both":{"command":"x"}}}')
    const both = { name: 'both', kind: 'stdio', command: 'x', args: [], env: {} } as const
    expect(await giving({ mcpServers: [both] })).toEqual([expect.stringMatching(/: theirs\.$/)])
    await place(join(clone, '.mcp.json'), 'not JSON')
    expect(await giving({})).toEqual([])
  })

  test.each(['/dev/zero', '/dev/stdin', '/etc/passwd'])(
    'MCP servers of a repository whose .mcp.json is a link to %s are not read, and the session says so',
    async (target) => {
      await symlink(target, join(clone, '.mcp.json'))
      expect(await giving({})).toEqual(["The repository's .mcp.json is not read: .mcp.json is a link."])
    },
  )
})

describe('skills', () => {
  const skill = async (id: string, text = 'Do it.') => {
    await place(join(catalog, id, 'SKILL.md'), text)
    return { id, folder: join(catalog, id), references: [] }
  }
  const installed = () => readdir(inHome('claude', 'skills'))

  test("skills are installed as the user's, with their documents, and follow the catalog", async () => {
    await place(join(catalog, 'guide.md'), 'Guide')
    const references = [
      { name: 'guide.md', path: join(catalog, 'guide.md') },
      { name: 'lost.md', path: join(catalog, 'lost.md') },
    ]
    const review = { ...(await skill('review')), references }
    expect(await giving({ skills: [review] })).toEqual([expect.stringContaining('lost.md')])
    expect(await readFile(inHome('claude', 'skills', 'review', 'references', 'guide.md'), 'utf8')).toBe('Guide')
    await skill('review', 'Do it better.')
    await giving({ skills: [review] })
    expect(await readFile(inHome('claude', 'skills', 'review', 'SKILL.md'), 'utf8')).toBe('Do it better.')
  })

  test('skills that are deselected disappear, and those that the agent wrote stay', async () => {
    await giving({ skills: [await skill('one'), await skill('two')] })
    await place(inHome('claude', 'skills', 'of-the-agent', 'SKILL.md'), 'Mine')
    await giving({ skills: [await skill('two')] })
    expect(await installed()).toEqual(['of-the-agent', 'two'])
    await giving({})
    expect(await installed()).toEqual(['of-the-agent'])
  })

  test('skills of a name that the repository has are left out, and removed if they were installed', async () => {
    const review = await skill('review')
    await giving({ skills: [review] })
    await place(join(clone, '.claude', 'skills', 'review', 'SKILL.md'), 'Theirs')
    expect(await giving({ skills: [review] })).toEqual([expect.stringContaining('the repository has one of that name')])
    expect(await installed()).toEqual([])
  })

  test('skills that are incomplete or share a name are reported', async () => {
    const broken = { id: 'broken', folder: join(catalog, 'broken'), references: [] }
    const again = { ...(await skill('review')), id: '@other/review' }
    expect(await giving({ skills: [broken, await skill('review'), again] })).toEqual([
      'The skill broken is left out: it has no SKILL.md.',
      'The skill @other/review is left out: another one has the name review.',
    ])
    expect(await installed()).toEqual(['review'])
  })

  test('skills cannot be installed outside their folder', async () => {
    await giving({ skills: [{ ...(await skill('dots')), id: '..' }] })
    expect(await installed()).toEqual(['unnamed'])
  })
})

describe('hooks', () => {
  const hook = async (more: Partial<Hook> = {}): Promise<Hook> => {
    const folder = join(catalog, 'tell')
    await place(join(folder, 'tell.sh'), '#!/bin/sh\necho "$MOOD: $1 $2"\n')
    await chmod(join(folder, 'tell.sh'), 0o755)
    return {
      ...{ id: 'tell', folder, event: 'stop', command: './tell.sh', args: ["it's", './tell.sh'] },
      ...{ env: { MOOD: 'a "good" $one' }, timeoutSeconds: undefined, matcher: undefined, ...more },
    }
  }
  const settings = async () => json(inHome('claude', 'settings.json'))

  test('hooks are scripts that run the program in a copy of its folder with its variables', async () => {
    await giving({ hooks: [await hook()] })
    await rm(catalog, { recursive: true })
    const { command } = (await settings()).hooks.Stop[0].hooks[0]
    const copy = inHome('yardmaster', 'hooks', '1-tell', 'tell.sh')
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe(`a "good" $one: it's ${copy}\n`)
    expect(command).not.toContain('good')
  })

  test('get their event, matcher and timeout, and other settings stay', async () => {
    await place(inHome('claude', 'settings.json'), '{"theme":"dark","hooks":{"Stop":[]}}')
    await giving({
      hooks: [
        await hook({ event: 'pre_tool_call', matcher: 'Bash|Edit', timeoutSeconds: 7 }),
        await hook({ event: 'session_start', matcher: 'Bash' }),
      ],
    })
    expect(await settings()).toEqual({
      theme: 'dark',
      hooks: {
        PreToolUse: [{ matcher: 'Bash|Edit', hooks: [{ type: 'command', command: expect.any(String), timeout: 7 }] }],
        SessionStart: [{ hooks: [{ type: 'command', command: expect.any(String) }] }],
      },
    })
  })

  test('hooks that are deselected disappear, and repeating changes nothing', async () => {
    await giving({ hooks: [await hook()] })
    const before = await settings()
    await giving({ hooks: [await hook()] })
    expect(await settings()).toEqual(before)
    await giving({})
    expect(await settings()).toEqual({ hooks: {} })
    expect(await readdir(inHome('yardmaster', 'hooks'))).toEqual([])
  })

  test('hooks for commits, and of a name that the repository has, are left out and reported', async () => {
    await place(join(clone, '.claude', 'hooks', 'tell', 'HOOK.json'), '{}')
    const hooks = [await hook({ id: 'lint', event: 'pre_commit' }), await hook()]
    expect(await giving({ hooks })).toEqual([
      'The hook lint is left out: this agent has no event for pre_commit.',
      'The hook tell is left out: the repository has one of that name.',
    ])
    expect(await settings()).toEqual({ hooks: {} })
  })
})

async function place(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

describe('secrets', () => {
  test('secrets are removed from the home after the turn', async () => {
    const env = { TOKEN: 'a-secret' }
    await place(join(catalog, 'guard', 'check.sh'), 'exit 0')
    const hook: Hook = {
      id: 'guard',
      folder: join(catalog, 'guard'),
      event: 'stop',
      command: './check.sh',
      args: [],
      env,
      timeoutSeconds: undefined,
      matcher: undefined,
    }
    await giving({ mcpServers: [{ name: 'local', kind: 'stdio', command: 'x', args: [], env }], hooks: [hook] })
    await providerAccess(conversation, { environment: { ANTHROPIC_API_KEY: 'a-secret' }, credentialsFile: undefined })
    const grep = () => spawnSync('grep', ['-rl', 'a-secret', conversation.home], { encoding: 'utf8' }).stdout
    expect(grep().trim().split('\n')).toHaveLength(3)
    await removeSecrets(conversation.home)
    await removeSecrets(conversation.home)
    expect(grep()).toBe('')
  })
})

test('nothing is written, read or removed through a link that the agent planted in its home', async () => {
  const elsewhere = join(clone, '../elsewhere')
  await place(join(elsewhere, 'mcp.json'), 'ours')
  await place(join(elsewhere, 'hooks/kept'), 'ours')
  await mkdir(conversation.home)
  await symlink(elsewhere, inHome('yardmaster'))
  await expect(giving({})).rejects.toThrow('yardmaster is not a folder')
  await expect(removeSecrets(conversation.home)).rejects.toThrow('yardmaster is not a folder')
  expect((await readdir(elsewhere, { recursive: true })).sort()).toEqual(['hooks', 'hooks/kept', 'mcp.json'])
  expect(await readFile(join(elsewhere, 'mcp.json'), 'utf8')).toBe('ours')
})

test("the repository's skills, agents and commands are linked among the user's, and gone with the repository's", async () => {
  await place(join(clone, '.claude/skills/theirs/SKILL.md'), 'root')
  await place(join(conversation.workingDirectory, '.claude/agents/helper.md'), 'near')
  await place(join(clone, '.claude/agents/helper.md'), 'far')
  await place(inHome('claude/skills/own/SKILL.md'), 'own')
  await giving({})
  expect(await readFile(inHome('claude/skills/theirs/SKILL.md'), 'utf8')).toBe('root')
  expect(await readFile(inHome('claude/agents/helper.md'), 'utf8')).toBe('near')
  await rm(join(clone, '.claude'), { recursive: true })
  await giving({})
  expect(await readdir(inHome('claude/skills'))).toEqual(['own'])
  await place(join(clone, '.claude/skills/theirs/SKILL.md'), 'root')
  await giving({ usesRepositoryConfiguration: true })
  expect(await readdir(inHome('claude/skills'))).toEqual(['own'])
})

test('permissions that the agent wrote to its own settings are removed, and its other settings stay', async () => {
  const settings = inHome('claude', 'settings.json')
  await place(settings, JSON.stringify({ theme: 'dark', permissions: { allow: ['Bash'] } }))
  await giving({})
  expect(await json(settings)).toEqual({ theme: 'dark', hooks: {} })
})
