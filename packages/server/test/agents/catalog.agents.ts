// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { clonePath } from '../../src/domain/workspaces/folders.ts'
import { airOf, type Files, writeFiles } from '../support/app/catalog-folder.ts'
import { textOf } from '../support/sessions/demo-session.ts'
import { agentYard } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// What a catalog on disk gives to sessions of a whole server, as the agents see it.

const echo = fileURLToPath(new URL('support/echo-mcp-server.mjs', import.meta.url))
const stdio = { type: 'stdio', command: process.execPath, args: [echo] }
const files: Files = {
  'roots.json': { anywhere: { description: 'Any repository.' } },
  'mcp.json': {
    house: { ...stdio, description: 'Echoes.', env: { GIVEN: '${HOUSE_TOKEN}' } },
    blind: { ...stdio, description: 'Never starts.', env: { TOKEN: '${NEVER_SET_ANYWHERE}' } },
  },
  'skills.json': { greet: { description: 'Greets like a sailor.', path: 'skills/greet' } },
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets like a sailor.\n---\nSay ahoy.\n',
  'hooks.json': { tell: { description: 'Tells of commands.', path: 'hooks/tell' } },
  'hooks/tell/HOOK.json': {
    ...{ event: 'post_tool_call', command: './tell.sh', env: { MOOD: 'cheerful' } },
    // Each agent's name for its shell tool.
    matcher: 'Bash|shell|exec_command',
  },
  'hooks/tell/tell.sh': '#!/bin/sh\necho "told, $MOOD, key [$ANTHROPIC_API_KEY$OPENAI_API_KEY]" >> told\n',
}
const houseToken = 'house-token-4711-of-the-catalog'

const { app, work, say, toldWith, logs } = agentYard({
  environment: async (folder) => {
    const catalog = join(folder, 'catalog')
    await writeFiles(catalog, { 'air.json': airOf(files), ...files })
    await chmod(join(catalog, 'hooks/tell/tell.sh'), 0o755)
    return { CATALOG_PATH: join(catalog, 'air.json'), HOUSE_TOKEN: houseToken }
  },
})

const chosen = { mcp_servers: ['house', 'blind'], catalog_skills: ['greet'], catalog_hooks: ['tell'] }

describe.each(agents)('a session of $runtime', (agent) => {
  test("calls its server's tool, sees its skill, runs its hook and is told what is missing", async () => {
    const prompt = [
      'tool echo {"text":"from the server"}',
      'tool variable {"name":"GIVEN"}',
      'tool variable {"name":"ANTHROPIC_API_KEY"}',
      'tool variable {"name":"OPENAI_API_KEY"}',
      'run echo x',
      'say Equipped',
    ].join('\n')
    const id = await work(agent, prompt, { ...chosen, goal: 'A green build.' })

    const text = await textOf(app, id)
    expect(text).toContain('echo: from the server')
    expect(text).toMatch(/GIVEN=\[REDACTED/)
    expect(text).not.toContain(houseToken)
    // Other agents may pass their own variables on.
    if (agent.runtime !== 'claude-acp') expect(text).toMatch(/ANTHROPIC_API_KEY=["\s}].*OPENAI_API_KEY=["\s}]/s)

    const told = toldWith('say Equipped')
    expect(told).toContain('A green build.')
    expect(told).toContain(agent.runtime === 'claude-acp' ? 'greet' : 'Greets like a sailor.')
    expect(told).toContain('selected for this session are not available')
    expect(told).toContain('NEVER_SET_ANYWHERE')
    expect(await logs(id)).toMatch(/blind.*NEVER_SET_ANYWHERE/)

    const hook = await readFile(join(clonePath(app.host.app, id), 'told'), 'utf8')
    expect(hook).toContain('told, cheerful, key []\n')
  })

  test('gets changed equipment from the next turn on', async () => {
    const id = await work(agent, 'say With nothing', { mcp_servers: [], catalog_skills: [], catalog_hooks: [] })
    expect(toldWith('say With nothing')).not.toContain('Greets like a sailor.')
    expect(await app.patch(`/sessions/${id}/mcp_servers`, { mcp_servers: ['house'] })).toMatchObject({ status: 200 })
    expect(await app.patch(`/sessions/${id}/catalog_skills`, { catalog_skills: ['greet'] })).toMatchObject({
      status: 200,
    })
    await say(id, 'tool echo {"text":"a moment later"}\nsay With a server')
    expect(await textOf(app, id)).toContain('echo: a moment later')
    expect(toldWith('say With a server')).toContain('greet')
  })
})
