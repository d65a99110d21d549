import { expect, test } from 'vitest'
import { acpCli } from '../../../src/runtimes/acp/agent-cli.ts'
import { agentsChoice } from '../../../src/runtimes/acp/models.ts'

const agent = {
  name: 'qwen',
  command: '/opt/qwen',
  args: ['--acp'],
  passEnvironment: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  setEnvironment: {},
  models: [agentsChoice],
}

test('describes an agent of the runtimes file by its program and its keys', async () => {
  const cli = acpCli({ ...agent, environment: {} })
  expect(cli).toMatchObject({
    title: 'qwen (Agent Client Protocol)',
    command: '/opt/qwen',
    envVarName: 'OPENAI_API_KEY',
  })
  expect(cli.authInstructions).toBe('Set OPENAI_API_KEY and start again.')
  expect(await cli.isAuthenticated()).toBe(false)
})

test('counts an agent as signed in when its key is set, or when it needs none', async () => {
  expect(await acpCli({ ...agent, environment: { OPENAI_API_KEY: 'x' } }).isAuthenticated()).toBe(true)
  expect(await acpCli({ ...agent, passEnvironment: [], environment: {} }).isAuthenticated()).toBe(true)
})
