import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig, readEnvironment, variableNames } from '../../src/app/config.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { secret, table } from '../support/app/config-table.ts'

/** The value of one variable, whether the server or a driver reads it. */
function read(name: string, environment: Record<string, string>): unknown {
  const { drivers, ...own } = readConfig(environment)
  return Object.assign({}, own, ...drivers.map(({ config }) => config))[name]
}

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('every variable of the schema has a row in this table', () => {
  expect(table.map(({ name }) => name).sort()).toEqual([...variableNames].sort())
})

test('every documented variable is in the schema', () => {
  const promised = [
    ...['HOST', 'PORT', 'YARDMASTER_HOME', 'DATABASE_URL', 'REDIS_URL', 'API_KEYS', 'CATALOG_PATH', 'ROLE'],
    ...['RUNTIME_ALPHA_COMMAND', 'RUNTIME_BETA_COMMAND', 'SUPERVISOR_PASSWORD', 'SUPERVISOR_USERNAME', 'APP_HOST'],
    ...['SERVICE_CONTENT_SEARCH_BUDGET_SECONDS', 'SERVICE_CONTENT_SEARCH_CHUNK_SIZE'],
    ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'YARDMASTER_MASTER_KEY'],
  ]
  expect(variableNames).toEqual(expect.arrayContaining(promised))
})

describe.each(table)('$name', ({ name, unset, good, bad, rule }) => {
  test.each(good)('%j is accepted', (given, expected) => {
    expect(read(name, { [name]: given })).toEqual(expected)
  })

  test('unset, it has its default', () => {
    expect(read(name, {})).toEqual(unset)
  })

  test.each(bad)('%j is rejected with the name and the rule in the message', (given) => {
    const sentence = refusal({ [name]: given })
    expect(sentence).toBe(`${name} ${rule}.`)
    expect(sentence).not.toContain(secret)
  })

  test.each(name === 'API_KEYS' ? [] : ['', '  ', '\t'])('blank (%j) counts as unset', (blank) => {
    expect(read(name, { [name]: blank })).toEqual(unset)
  })
})

test('blank API_KEYS stays blank, which differs from unset', () => {
  expect(read('API_KEYS', { API_KEYS: '' })).toBe('')
})

describe('.env', () => {
  test('.env supplies variables that the environment does not set, and the environment takes precedence', async () => {
    vi.stubEnv('PORT', '4001')
    const folder = await folderWith('# ours\nPORT=5000\nHOST="0.0.0.0"\nSUPERVISOR_PASSWORD=\'a b\' # why not\n')
    const environment = readEnvironment(folder)
    expect(environment).toMatchObject({ PORT: '4001', HOST: '0.0.0.0', SUPERVISOR_PASSWORD: 'a b' })
  })

  test('.env does not replace blank API_KEYS of the environment, which reject every caller', async () => {
    vi.stubEnv('API_KEYS', '')
    expect(readConfig(readEnvironment(await folderWith('API_KEYS=left-over\n'))).API_KEYS).toBe('')
  })

  test('.env is optional', async () => {
    expect(readEnvironment(await folderWith(undefined)).PATH).toBe(process.env.PATH)
  })

  test('.env is not exported, so no child process can inherit it', async () => {
    readEnvironment(await folderWith('YARDMASTER_TEST_ONLY=1\n'))
    expect(process.env.YARDMASTER_TEST_ONLY).toBeUndefined()
  })

  test('.env that exists but cannot be read is a StartupError', async () => {
    const folder = await folderWith(undefined)
    await mkdir(join(folder, '.env'))
    expect(() => readEnvironment(folder)).toThrow(
      new StartupError(`The file ${join(folder, '.env')} cannot be read (EISDIR).`),
    )
  })

  async function folderWith(text: string | undefined): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'yardmaster-env-'))
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true, force: true })
    })
    if (text !== undefined) await writeFile(join(folder, '.env'), text)
    return folder
  }
})

test.each(['CHAT_API_URL', 'FORGE_API_URL'])('%s must hold nothing but an address', (name) => {
  for (const value of ['https://user:word@ghe.test/api', 'https://ghe.test/?a=1', 'https://ghe.test/#a'])
    expect(() => readConfig({ [name]: value })).toThrow(`${name} must have no user name, password, query or fragment.`)
})
