import { expect, test } from 'vitest'
import { welcome } from '../../src/app/welcome.ts'
import { startTestApp } from '../support/app/app.ts'

/** Starts a fresh host on which Claude Code is installed, and returns its lines about agents. */
async function linesOf({
  environment = {},
  defaultRuntime,
}: {
  environment?: Record<string, string>
  defaultRuntime?: string
}) {
  const { app, stop } = await startTestApp({
    environment: {
      RUNTIME_ALPHA_COMMAND: process.execPath,
      RUNTIME_BETA_COMMAND: '/nowhere/codex',
      ANTHROPIC_API_KEY: '',
      ...environment,
    },
  })
  try {
    const lines = (await welcome({ ...app.host, ...(defaultRuntime && { defaultRuntime }) })).split('\n')
    return {
      agent: lines.find((line) => line.startsWith('Agent:')),
      command: lines.at(-1),
      settings: (await app.get('/settings')).body.settings,
    }
  } finally {
    await stop()
  }
}

test('a first start with a CLI that is not signed in makes the demo agent the default and says so', async () => {
  const { agent, command, settings } = await linesOf({})
  expect(settings).toMatchObject({ default_runtime: 'demo' })
  expect(agent).toBe('Agent: sessions that name no runtime use the built-in demo agent, which needs no key')
  expect(command).toContain('"agent_runtime":"demo"')
})

test('a first start with a CLI that is signed in makes it the default and says so', async () => {
  const { agent, settings } = await linesOf({ environment: { ANTHROPIC_API_KEY: 'a' } })
  expect(settings).toMatchObject({ default_runtime: 'runtime_alpha' })
  expect(agent).toBe('Agent: sessions that name no runtime use runtime_alpha')
})

test('a start whose default is the demo agent names the runtimes that can run by now', async () => {
  const { agent } = await linesOf({ environment: { ANTHROPIC_API_KEY: 'a' }, defaultRuntime: 'demo' })
  expect(agent).toBe(
    'Agent: sessions that name no runtime use the built-in demo agent, which needs no key; these can run too: runtime_alpha (default_runtime in the settings chooses)',
  )
})

test('a start offers only runtimes that can run, also if the default is another', async () => {
  const { agent, command } = await linesOf({ defaultRuntime: 'runtime_alpha' })
  expect(agent).toBe(
    'Agent: sessions that name no runtime use runtime_alpha, which is not installed or not signed in; these can run: demo',
  )
  expect(command).toContain('"agent_runtime":"demo"')
})

test('a start on which no runtime can run offers no command and names the page that says what is missing', async () => {
  const { agent, command } = await linesOf({ environment: { RUNTIME_DEMO: 'off' } })
  expect(agent).toMatch(/^Agent: none can run yet; http:\S+\/api\/v1\/clis\/status says what is missing$/)
  expect(command).toBe(agent)
})
