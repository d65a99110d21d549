import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { pinnedCli as codex } from '../../src/runtimes/beta/cli.ts'
import { cliProgram } from '../../src/runtimes/cli.ts'
import { openDrivers } from '../../src/runtimes/open-drivers.ts'

let agentsFolder = ''

beforeEach(async () => {
  agentsFolder = await mkdtemp(join(tmpdir(), 'yardmaster-agents-'))
  // A colleague's CLI on the PATH of this machine must not decide these tests.
  vi.stubEnv('PATH', agentsFolder)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(agentsFolder, { recursive: true, force: true })
})

function open(environment: Record<string, string> = {}) {
  return openDrivers(readConfig(environment).drivers, { modelsPath: undefined, agentsFolder, environment })
}

async function program(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '#!/bin/sh\n')
  await chmod(path, 0o755)
  return path
}

test('a fresh installation without any CLI chooses the built-in agent', async () => {
  const { runtimes, firstChoice } = await open()
  expect(runtimes.map(({ name }) => name)).toEqual(['runtime_alpha', 'runtime_beta', 'demo'])
  expect(firstChoice).toBe('demo')
})

test('RUNTIME_DEMO=off leaves the built-in agent out, and a fresh installation chooses another', async () => {
  const { runtimes, firstChoice } = await open({ RUNTIME_DEMO: 'off' })
  expect(runtimes.map(({ name }) => name)).toEqual(['runtime_alpha', 'runtime_beta'])
  expect(firstChoice).toBe('runtime_alpha')
})

test('a fresh installation chooses the first runtime whose CLI is on the PATH and signed in', async () => {
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }
  await program(join(agentsFolder, 'codex'))
  expect((await open(keys)).firstChoice).toBe('runtime_beta')
  await program(join(agentsFolder, 'claude'))
  expect((await open(keys)).firstChoice).toBe('runtime_alpha')
  expect((await open({ OPENAI_API_KEY: 'b' })).firstChoice).toBe('runtime_beta')
})

test('a fresh installation whose CLIs are not signed in chooses the built-in agent', async () => {
  await program(join(agentsFolder, 'claude'))
  expect((await open()).firstChoice).toBe('demo')
  expect((await open({ RUNTIME_ALPHA_LOGIN: join(agentsFolder, 'no-such-file') })).firstChoice).toBe('demo')
})

test('a fresh installation without the built-in agent prefers an installed CLI that is not signed in to a missing one', async () => {
  await program(join(agentsFolder, 'codex'))
  expect((await open({ RUNTIME_DEMO: 'off' })).firstChoice).toBe('runtime_beta')
})

test('an installed CLI comes before one on the PATH, and a configured command before both', async () => {
  const installed = await program(cliProgram(agentsFolder, codex))
  await program(join(agentsFolder, 'codex'))
  const command = async (environment?: Record<string, string>) =>
    (await open(environment)).runtimes.find(({ name }) => name === 'runtime_beta')?.cli?.command
  expect(await command()).toBe(installed)
  expect(await command({ RUNTIME_BETA_COMMAND: '/opt/codex' })).toBe('/opt/codex')
})

test('every secret variable that has a value is known to the redactor by its name', async () => {
  const keys = {
    ANTHROPIC_API_KEY: 'a',
    ANTHROPIC_AUTH_TOKEN: 'b',
    CLAUDE_CODE_OAUTH_TOKEN: 'c',
    OPENAI_API_KEY: 'd',
    CODEX_API_KEY: 'e',
  }
  const { secrets } = await open({ ...keys, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })
  expect(secrets).toEqual(Object.entries(keys).map(([name, value]) => ({ label: `ENV:${name}`, value })))
})
