import { describe, expect, test } from 'vitest'
import { textOf } from '../support/sessions/demo-session.ts'
import { agentYard } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'

// Prompts that begin with a slash. The CLIs have commands that do too.

const { app, model, work, say, asked, logs } = agentYard()
const commands = { config: { cli_commands: true } }

describe.each(agents)('a session of $runtime', (agent) => {
  test.each(['/deploy fails on staging, see the log', '/clear', '/login page is broken', '/compact', '/context'])(
    'gives the model the prompt %s as it was sent',
    async (line) => {
      const prompt = `${line}\nsay Understood`
      const id = await work(agent, prompt)
      expect(textsIn(asked(prompt)?.body).map((text) => text.trim())).toContain(prompt)
      const shown = await textOf(app, id)
      expect(shown).toContain(`--- User ---\n${prompt}\n`)
      expect(shown).toContain('Understood')
    },
  )

  test('gives the model a follow-up that begins with a slash as it was sent', async () => {
    const id = await work(agent, 'say First')
    await say(id, '/usr/local is full\nsay Second')
    expect(textsIn(asked('/usr/local is full')?.body).map((text) => text.trim())).toContain(
      '/usr/local is full\nsay Second',
    )
    expect(await textOf(app, id)).toContain('Second')
  })
})

describe('a session that asks for commands of the CLI', () => {
  test('of runtime_alpha gets the output of a command', async () => {
    const id = await work(agents[0], 'say Hello', { config: { ...commands.config, model: agents[0].model } })
    const before = model.requests.length
    await say(id, '/usage')
    expect(model.requests.slice(before).filter(({ format }) => format !== undefined)).toEqual([])
    expect(await textOf(app, id)).toMatch(/--- User ---\n\/usage\n[\s\S]*Total cost:/)
    await say(id, '/nosuch thing')
    expect(await textOf(app, id)).toMatch(/\/nosuch thing\n[\s\S]*Unknown command: \/nosuch/)
    await say(id, 'say Still here')
    expect(await textOf(app, id)).toContain('--- Assistant ---\nStill here\n')
  })

  test('of runtime_alpha is told that /clear does not clear it', async () => {
    const id = await work(agents[0], 'say The word is plover', {
      config: { ...commands.config, model: agents[0].model },
    })
    await say(id, '/clear')
    expect(await logs(id)).toContain('The command /clear made the CLI begin another conversation')
    await say(id, 'say What was it')
    expect(JSON.stringify(asked('say What was it')?.body)).toContain('The word is plover')
  })

  test('of an ACP agent gets the output of a command', async () => {
    const id = await work(agents[2], '/context', { config: { ...commands.config, model: agents[2].model } })
    expect(await textOf(app, id)).toMatch(/--- User ---\n\/context\n[\s\S]*Context Usage/)
  })

  test('of runtime_beta is told that there are no commands', async () => {
    const id = await work(agents[1], '/compact\nsay As text', {
      config: { ...commands.config, model: agents[1].model },
    })
    expect(await textOf(app, id)).toContain('As text')
    expect(await logs(id)).toContain('The runtime runtime_beta has no commands.')
  })
})

/** Every text in a request, in whichever wire format. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string' && (key === 'text' || key === 'content') ? [part] : textsIn(part),
  )
}
