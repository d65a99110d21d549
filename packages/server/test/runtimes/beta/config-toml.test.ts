import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { configToml } from '../../../src/runtimes/beta/config-toml.ts'
import { equip } from '../../../src/runtimes/beta/equip.ts'
import { removeSecrets } from '../../../src/runtimes/beta/prepare-home.ts'
import { toToml } from '../../../src/runtimes/beta/toml.ts'
import { type Equipment, type Hook, noEquipment } from '../../../src/runtimes/equipment.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'

const access = { environment: { OPENAI_API_KEY: 'the-key' }, baseUrl: undefined, authFile: undefined }

async function sampleConversation(): Promise<Conversation> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-equip-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const conversation = { id: undefined, home: join(folder, 'home'), workingDirectory: join(folder, 'clone') }
  await mkdir(conversation.home)
  await mkdir(conversation.workingDirectory)
  return conversation
}

describe('TOML', () => {
  test('TOML of codex quotes every name and value so that no text escapes', () => {
    const hostile = 'a"\n[features]\nplugins = true\\\u007f\ud800\t\0'
    const text = toToml({ servers: { [hostile]: { value: hostile, list: [hostile, 1, true] } } })
    const quoted = '"a\\"\\n[features]\\nplugins = true\\\\\\u007f\ufffd\\t\\u0000"'
    expect(text).toBe(`\n["servers"]\n\n["servers".${quoted}]\n"value" = ${quoted}\n"list" = [${quoted}, 1, true]\n`)
  })

  test('TOML of codex writes values before tables and omits undefined ones', () => {
    expect(toToml({ table: { a: 1 }, b: 'x', c: undefined })).toBe('"b" = "x"\n\n["table"]\n"a" = 1\n')
  })
})

describe('config.toml', () => {
  const folders = ['/clone/part', '/clone']

  test("config.toml contains no key, and excludes the key's variable from tools", () => {
    const text = configToml(access, folders, { equipment: noEquipment })
    expect(text).not.toContain('the-key')
    expect(text).toContain('"env_key" = "OPENAI_API_KEY"')
    expect(text).toContain('"exclude" = ["OPENAI_API_KEY", "CODEX_API_KEY"]')
  })

  test('config.toml uses the login if there is no key', () => {
    const login = { environment: {}, baseUrl: undefined, authFile: '/auth.json' }
    expect(configToml(login, folders, { equipment: noEquipment })).toContain('"model_provider" = "openai"')
    expect(configToml({ ...login, ...access, authFile: '/auth.json' }, folders, { equipment: noEquipment })).toContain(
      '"model_provider" = "yardmaster"',
    )
  })

  test('config.toml needs no key for a server of the operator', () => {
    const text = configToml({ ...access, environment: {}, baseUrl: 'http://here/v1' }, folders, {
      equipment: noEquipment,
    })
    expect(text).toContain('"base_url" = "http://here/v1"')
    expect(text).not.toContain('env_key')
  })

  test('config.toml gives MCP servers distinct names that codex accepts', () => {
    const server = (name: string) => ({ name, kind: 'stdio' as const, command: 'x', args: [], env: {} })
    const text = configToml(access, folders, {
      equipment: {
        ...noEquipment,
        mcpServers: [
          server('my server'),
          server('my_server'),
          { ...server('http'), kind: 'http', url: 'http://x', headers: { A: 'b' } },
        ],
      },
    })
    expect(text).toContain('["mcp_servers"."my_server"]')
    expect(text).toContain('["mcp_servers"."my_server_2"]')
    expect(text).toContain('["mcp_servers"."http"."http_headers"]\n"A" = "b"')
  })

  test('config.toml has a limit for the context only if the session has one', () => {
    const limited = configToml(access, folders, { equipment: noEquipment, compactWindow: 60_000 })
    expect(limited).toContain('"model_auto_compact_token_limit" = 60000\n')
    expect(configToml(access, folders, { equipment: noEquipment })).not.toContain('compact')
  })

  test('config.toml trusts the repository only if its configuration is to be used', () => {
    const text = configToml(access, folders, { equipment: noEquipment })
    for (const folder of folders) expect(text).toContain(`["projects"."${folder}"]\n"trust_level" = "untrusted"`)
    expect(configToml(access, folders, { equipment: { ...noEquipment, usesRepositoryConfiguration: true } })).toContain(
      '"trusted"',
    )
  })
})

describe('equip', () => {
  async function sampleEquipment(folder: string): Promise<Equipment> {
    await mkdir(join(folder, 'deploy/scripts'), { recursive: true })
    await writeFile(join(folder, 'deploy/SKILL.md'), '---\nname: deploy\ndescription: d\n---\n')
    await writeFile(join(folder, 'deploy/scripts/run.sh'), 'true\n')
    await writeFile(join(folder, 'guide.md'), 'Read me\n')
    await mkdir(join(folder, 'check'), { recursive: true })
    await writeFile(join(folder, 'check/run.sh'), 'true\n', { mode: 0o755 })
    const hook: Hook = {
      id: 'check',
      folder: join(folder, 'check'),
      event: 'pre_tool_call',
      command: './run.sh',
      args: ["it's", './rules.txt'],
      env: { LEVEL: 'high' },
      timeoutSeconds: 5,
      matcher: 'Bash',
    }
    return {
      ...noEquipment,
      skills: [
        {
          id: 'deploy',
          folder: join(folder, 'deploy'),
          references: [{ name: 'guide.md', path: join(folder, 'guide.md') }],
        },
      ],
      hooks: [hook, { ...hook, id: 'greet', event: 'pre_commit' }],
      mcpServers: [{ name: 'old', kind: 'sse', url: 'http://x', headers: {} }],
    }
  }

  test("equip installs skills and hooks in the agent's home and not in the clone, and is idempotent", async () => {
    const conversation = await sampleConversation()
    const equipment = await sampleEquipment(join(conversation.home, 'catalog'))
    const told = await equip(access, conversation, equipment)
    expect(await equip(access, conversation, equipment)).toEqual(told)
    expect(told).toEqual([
      expect.stringContaining('The MCP server old is left out'),
      'The hook greet is left out: Codex has no hooks for pre_commit.',
    ])
    const home = join(conversation.home, '.codex')
    expect((await readdir(join(home, 'skills'), { recursive: true })).sort()).toEqual([
      'deploy',
      'deploy/SKILL.md',
      'deploy/references',
      'deploy/references/guide.md',
      'deploy/scripts',
      'deploy/scripts/run.sh',
    ])
    expect(JSON.parse(await readFile(join(home, 'hooks.json'), 'utf8'))).toEqual({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              {
                type: 'command',
                command: join(home, 'yardmaster-hooks/1.sh'),
                timeout: 5,
              },
            ],
          },
        ],
      },
    })
    expect(await readFile(join(home, 'yardmaster-hooks/1.sh'), 'utf8')).toBe(
      [
        '#!/bin/sh',
        'unset OPENAI_API_KEY',
        'unset CODEX_API_KEY',
        'export LEVEL=high',
        `exec ${join(home, 'yardmaster-hooks/1/run.sh')} 'it'\\''s' ${join(home, 'yardmaster-hooks/1/rules.txt')}\n`,
      ].join('\n'),
    )
    expect(await readFile(join(home, 'yardmaster-hooks/1/run.sh'), 'utf8')).toBe('true\n')
    expect(await readdir(conversation.workingDirectory)).toEqual([])
    for (const name of ['config.toml', 'hooks.json']) expect((await stat(join(home, name))).mode & 0o777).toBe(0o600)
  })

  test("equip removes deselected skills and keeps codex's built-in ones", async () => {
    const conversation = await sampleConversation()
    await equip(access, conversation, await sampleEquipment(join(conversation.home, 'catalog')))
    await mkdir(join(conversation.home, '.codex/skills/.system'))
    await equip(access, conversation, noEquipment)
    expect(await readdir(join(conversation.home, '.codex/skills'))).toEqual(['.system'])
    expect(JSON.parse(await readFile(join(conversation.home, '.codex/hooks.json'), 'utf8'))).toEqual({ hooks: {} })
  })

  test.each(['.codex', '.agents'])(
    'a skill of the repository in %s wins, by folder or by its own name',
    async (place) => {
      const conversation = await sampleConversation()
      const theirs = join(conversation.workingDirectory, place, 'skills/shipping')
      await mkdir(theirs, { recursive: true })
      await writeFile(join(theirs, 'SKILL.md'), '---\ndescription: theirs\nname: "deploy"\n---\n')
      const told = await equip(access, conversation, await sampleEquipment(join(conversation.home, 'catalog')))
      expect(told).toContain('The skill deploy is left out: the repository has one of that name.')
      expect(await readdir(join(conversation.home, '.codex'))).not.toContain('skills')
    },
  )

  test('equip leaves out a skill that cannot be copied and installs the others', async () => {
    const conversation = await sampleConversation()
    const { skills } = await sampleEquipment(join(conversation.home, 'catalog'))
    const lost = { id: 'lost', folder: join(conversation.home, 'nowhere'), references: [] }
    const told = await equip(access, conversation, { ...noEquipment, skills: [lost, ...skills] })
    expect(told).toEqual([expect.stringMatching(/^The skill lost is left out: it cannot be copied \(ENOENT/)])
    expect(await readdir(join(conversation.home, '.codex/skills'))).toEqual(['deploy'])
  })

  test('equip copies the login with mode 0600 and keeps a copy that the agent has renewed', async () => {
    const conversation = await sampleConversation()
    const authFile = join(conversation.home, 'login.json')
    const login = { environment: {}, baseUrl: undefined, authFile }
    const copy = join(conversation.home, '.codex/auth.json')
    await writeFile(authFile, 'first')
    await equip(login, conversation, noEquipment)
    expect(await readFile(copy, 'utf8')).toBe('first')
    expect((await stat(copy)).mode & 0o777).toBe(0o600)

    await writeFile(copy, 'renewed')
    await equip(login, conversation, noEquipment)
    expect(await readFile(copy, 'utf8')).toBe('renewed')

    await writeFile(authFile, 'second')
    const later = new Date(Date.now() + 60_000)
    await utimes(authFile, later, later)
    await equip(login, conversation, noEquipment)
    expect(await readFile(copy, 'utf8')).toBe('second')
  })

  test('equip tolerates a missing login file', async () => {
    const conversation = await sampleConversation()
    const login = { environment: {}, baseUrl: undefined, authFile: join(conversation.home, 'nothing') }
    await expect(equip(login, conversation, noEquipment)).resolves.toEqual([])
  })

  test('equip removes every secret from the home after the turn, and gives the agent its renewed login back', async () => {
    const conversation = await sampleConversation()
    const { home } = conversation
    const authFile = join(home, '../login.json')
    await writeFile(authFile, 'first-login')
    const login = { environment: {}, baseUrl: undefined, authFile }
    const equipment = await sampleEquipment(join(home, 'catalog'))
    const hooks = equipment.hooks.map((hook) => ({ ...hook, env: { TOKEN: 'hook-secret' } }))
    const env = { TOKEN: 'server-secret' }
    const mcpServers = [{ name: 'local', kind: 'stdio', command: 'x', args: [], env } as const]
    await equip(login, conversation, { ...equipment, hooks, mcpServers })
    await writeFile(join(home, '.codex/auth.json'), 'renewed-login')
    const grep = () => spawnSync('grep', ['-rlE', 'login|hook-secret|server-secret', home], { encoding: 'utf8' }).stdout
    expect(grep().trim().split('\n')).toHaveLength(3)

    await removeSecrets(home)
    await removeSecrets(home)
    expect(grep()).toBe('')

    await equip(login, conversation, noEquipment)
    expect(await readFile(join(home, '.codex/auth.json'), 'utf8')).toBe('renewed-login')
  })

  test('equip writes and removes nothing through a link that the agent planted', async () => {
    const conversation = await sampleConversation()
    const elsewhere = join(conversation.home, '../elsewhere')
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'config.toml'), 'ours')
    await symlink(elsewhere, join(conversation.home, '.codex'))
    await expect(equip(access, conversation, noEquipment)).rejects.toThrow('.codex is not a folder')
    await expect(removeSecrets(conversation.home)).rejects.toThrow('.codex is not a folder')
    expect(await readdir(elsewhere)).toEqual(['config.toml'])
    expect(await readFile(join(elsewhere, 'config.toml'), 'utf8')).toBe('ours')
  })

  test("equip gives the agent the repository's AGENTS.md of every folder, which codex reads only where it trusts", async () => {
    const conversation = await sampleConversation()
    const part = join(conversation.workingDirectory, 'part')
    await mkdir(join(conversation.workingDirectory, '.git'))
    await mkdir(part)
    await writeFile(join(conversation.workingDirectory, 'AGENTS.md'), 'For all.')
    await writeFile(join(part, 'AGENTS.md'), 'For this part.')
    const file = join(conversation.home, '.codex/AGENTS.md')
    const there = { ...conversation, workingDirectory: part }
    await equip(access, there, noEquipment)
    expect(await readFile(file, 'utf8')).toBe('For all.\n\nFor this part.')
    await rm(join(part, 'AGENTS.md'))
    await symlink('/dev/zero', join(part, 'AGENTS.md'))
    await equip(access, there, noEquipment)
    expect(await readFile(file, 'utf8')).toBe('For all.')
    await equip(access, there, { ...noEquipment, usesRepositoryConfiguration: true })
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})
