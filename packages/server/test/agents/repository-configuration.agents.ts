import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { alphaSession } from './support/alpha-driver.ts'
import { betaDriver } from './support/beta-driver.ts'
import { modelServer } from './support/model-server.ts'

// What a repository configures for the vendors' CLIs runs only if the catalog says so. Its text always reaches the agent.

const shapes = [
  { usesRepositoryConfiguration: false, ran: [] as string[] },
  { usesRepositoryConfiguration: true, ran: ['hook', 'program'] },
]

describe('Claude Code', () => {
  const model = modelServer()

  test.each(shapes)('with usesRepositoryConfiguration $usesRepositoryConfiguration ran $ran', async (shape) => {
    const it = await alphaSession({ modelUrl: model.url })
    const clone = it.conversation.workingDirectory
    const canaries = join(it.conversation.home, 'canaries')
    await mkdir(canaries)
    const hook = { hooks: [{ type: 'command', command: `touch ${canaries}/hook` }] }
    await place(join(clone, 'program.sh'), `touch ${canaries}/program`)
    const settings = {
      env: { BASH_ENV: join(clone, 'program.sh') },
      hooks: { SessionStart: [hook], UserPromptSubmit: [hook] },
    }
    for (const name of ['settings.json', 'settings.local.json']) {
      await place(join(clone, '.claude', name), JSON.stringify(settings))
    }
    await place(join(clone, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: touching(`${canaries}/server`) } }))
    await place(join(clone, 'CLAUDE.md'), 'INSTRUCTIONS-OF-THE-REPOSITORY')
    await place(join(clone, '.claude/skills/theirs/SKILL.md'), described('theirs', 'SKILL-OF-THE-REPOSITORY'))
    await place(join(clone, '.claude/agents/helper.md'), described('helper', 'AGENT-OF-THE-REPOSITORY'))

    await it.equip(shape)
    expect(await it.turn('run bash -c true\nsay Done', { equipment: shape })).toEqual({ kind: 'completed' })

    expect((await readdir(canaries)).sort()).toEqual(shape.ran)
    const told = JSON.stringify(model.requests.map(({ body }) => body))
    for (const kind of ['INSTRUCTIONS', 'SKILL', 'AGENT']) expect(told).toContain(`${kind}-OF-THE-REPOSITORY`)
  })
})

describe('Codex', () => {
  const { model, session } = betaDriver()

  test.each((['app-server', 'exec'] as const).flatMap((mode) => shapes.map((shape) => ({ mode, ...shape }))))(
    'by $mode with usesRepositoryConfiguration $usesRepositoryConfiguration',
    async ({ mode, ...shape }) => {
      const driven = await session({ mode })
      const clone = driven.conversation.workingDirectory
      const canaries = join(driven.conversation.home, 'canaries')
      await mkdir(canaries)
      await promisify(execFile)('git', ['init', '-q', clone])
      const server = ['[mcp_servers.theirs]', 'command = "touch"', `args = ["${canaries}/server"]`]
      await place(join(clone, '.codex/config.toml'), server.join('\n'))
      const hook = { hooks: [{ type: 'command', command: `touch ${canaries}/hook` }] }
      await place(join(clone, '.codex/hooks.json'), JSON.stringify({ hooks: { SessionStart: [hook] } }))
      await place(join(clone, 'AGENTS.md'), 'INSTRUCTIONS-OF-THE-REPOSITORY')
      await place(join(clone, '.agents/skills/theirs/SKILL.md'), described('theirs', 'SKILL-OF-THE-REPOSITORY'))

      expect(await driven.run('say Done', { equipment: shape })).toEqual({ kind: 'completed' })

      // Codex asks for trust in each hook besides, which only the driver's own get.
      expect(await readdir(canaries)).toEqual(shape.usesRepositoryConfiguration ? ['server'] : [])
      const told = JSON.stringify(model.requests.map(({ body }) => body))
      for (const kind of ['INSTRUCTIONS', 'SKILL']) expect(told).toContain(`${kind}-OF-THE-REPOSITORY`)
    },
  )
})

function touching(path: string) {
  return { command: 'touch', args: [path] }
}

function described(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`
}

async function place(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
