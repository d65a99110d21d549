import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { drivers } from '../../src/runtimes/registry.ts'
import { sampleRepository, testApp } from '../support/app/app.ts'
import { exampleDriver } from '../support/example-driver/driver.ts'
import { atRest, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const folder = await mkdtemp(join(tmpdir(), 'yardmaster-driver-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** No redaction rule recognises it: only the driver's declaration can. */
const secret = 'quiet harbour lantern seven'

const registered = [...drivers, exampleDriver]
const app = testApp({ drivers: registered, environment: { EXAMPLE_TONE: 'formal', EXAMPLE_KEY: secret } })

/** Runs the lines in a session of the new driver and returns its transcript as people read it. */
async function run(lines: string, more: object = {}): Promise<string> {
  const gitRoot = await sampleRepository(await mkdtemp(join(folder, 'repository-')))
  const { body } = await app.post('/sessions', {
    agent_runtime: 'example',
    git_root: gitRoot,
    prompt: lines,
    ...more,
  })
  expect(await atRest(app, body.session.id)).toMatchObject({ status: 'needs_input', agent_runtime: 'example' })
  return textOf(app, body.session.id)
}

test("the server reads a new driver's variable and gives the value to the driver", async () => {
  expect(await run('run echo the tone is $EXAMPLE_TONE')).toContain('the tone is formal')
})

test('the server tells a driver the size of the context only if the session sets one', async () => {
  const prompt = 'run echo the limit is $EXAMPLE_WINDOW'
  expect(await run(prompt, { auto_compact_window: 60_000 })).toContain('the limit is 60000')
  expect(await run(prompt)).toContain('the limit is its own')
  expect(await run(prompt, { auto_compact_window: 1_000_000 })).toContain('the limit is its own')
})

test('the server tells a driver to give the agent all tools at once if the settings turn the search for tools off', async () => {
  const prompt = 'run echo it has its tools $EXAMPLE_TOOLS'
  expect(await run(prompt)).toContain('it has its tools as it likes')
  await app.patch('/settings', { mcp_tool_search_enabled: false })
  expect(await run(prompt)).toContain('it has its tools all at once')
})

test("a bad value of a new driver's variable stops the start with its rule", () => {
  expect(() => readConfig({ EXAMPLE_TONE: 'shrill' }, registered)).toThrow(
    'EXAMPLE_TONE must be one of: plain, formal.',
  )
  expect(() => readConfig({ EXAMPLE_TONE: 'shrill' })).not.toThrow()
})

test("the server redacts a new driver's secret from a transcript", async () => {
  const text = await run(`run echo it is "${secret}"`)
  expect(text).toContain('it is [REDACTED:ENV:EXAMPLE_KEY]')
  expect(text).not.toContain(secret)
})

test("GET /configs offers a new driver's models", async () => {
  const { body } = await app.get('/configs')
  expect(body.runtime_models.example).toEqual({
    default: 'example-large',
    models: [
      { id: 'example-large', label: 'Example Large', default: true, requires_oauth: false },
      { id: 'example-small', label: 'Example Small (deprecated)', default: false, requires_oauth: false },
    ],
    takes_commands: false,
    commands: [],
    takes_compact_window: true,
  })
})

test("GET /clis/status lists a new driver's CLI", async () => {
  const { body } = await eventually(
    () => app.get('/clis/status'),
    (answer) => answer.body.cli_status.generated_at !== null,
  )
  expect(body.cli_status.tools.example).toMatchObject({
    name: "Example's CLI",
    installed: false,
    authenticated: true,
    install_instructions: 'npm run agents:install -- example',
    env_var_name: 'EXAMPLE_KEY',
  })
})
