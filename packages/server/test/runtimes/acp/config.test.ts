import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { acpDriver } from '../../../src/runtimes/acp/driver.ts'
import type { OpenedDriver } from '../../../src/runtimes/driver.ts'

let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-runtimes-'))
  path = join(folder, 'runtimes.json')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const takenNames = ['demo', 'runtime_alpha', 'runtime_beta']

async function read(file: unknown, environment: Record<string, string> = {}): Promise<OpenedDriver> {
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file))
  return open(path, environment)
}

function open(file: string | undefined, environment: Record<string, string> = {}): Promise<OpenedDriver> {
  const config = { RUNTIMES_PATH: file }
  return acpDriver.open({ config, takenNames, environment, models: [], agentsFolder: '/nowhere' })
}

const row = { name: 'opencode', driver: 'acp', command: 'opencode' }

describe('the runtimes file', () => {
  test('the runtimes file adds one runtime per row, with its models', async () => {
    const models = [
      { id: 'openai/gpt', label: 'GPT', default: true },
      { id: 'openai/mini', label: 'Mini' },
    ]
    const { runtimes } = await read({
      runtimes: [
        { ...row, args: ['acp'], models },
        { ...row, name: 'other' },
      ],
    })
    expect(runtimes.map(({ name }) => name)).toEqual(['opencode', 'other'])
    expect(runtimes[0]?.models()).toEqual([
      { id: 'openai/gpt', label: 'GPT', default: true, requires_oauth: false },
      { id: 'openai/mini', label: 'Mini', default: false, requires_oauth: false },
    ])
    expect(runtimes[1]?.models()).toEqual([
      { id: 'default', label: "The agent's own choice", default: true, requires_oauth: false },
    ])
  })

  test('the runtimes file is not read when RUNTIMES_PATH is unset', async () => {
    expect(await open(undefined)).toEqual({ runtimes: [] })
  })

  test('the runtimes file declares the variables with secret names as secrets', async () => {
    const variables = {
      environment: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'MISSING_KEY'],
      set_environment: { MY_TOKEN: 't-1' },
    }
    const { secrets } = await read(
      { runtimes: [{ ...row, ...variables }] },
      { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://x' },
    )
    expect(secrets).toEqual([
      { label: 'ENV:OPENAI_API_KEY', value: 'sk-1' },
      { label: 'ENV:MY_TOKEN', value: 't-1' },
    ])
  })
})

describe('an invalid runtimes file stops the start with a sentence that names the place', () => {
  const model = { id: 'm', label: 'M' }
  const bad: [string, unknown, string][] = [
    ['text that is not JSON', '{', 'is not valid JSON.'],
    ['a file without the list', {}, 'runtimes must be a list of runtimes.'],
    ['an unknown key', { runtimes: [{ ...row, modles: [] }] }, 'runtimes[0] Unrecognized key: "modles".'],
    ['a row without a name', { runtimes: [{ ...row, name: undefined }] }, 'runtimes[0].name must be a name.'],
    [
      'a name with capitals and spaces',
      { runtimes: [{ ...row, name: 'Open Code' }] },
      'runtimes[0].name must be 1 to 50 small letters, digits, _ and -, and begin with a letter.',
    ],
    [
      'the name of a built-in runtime',
      { runtimes: [{ ...row, name: 'demo' }] },
      'runtimes[0].name is taken: there is another runtime demo.',
    ],
    ['two rows of one name', { runtimes: [row, row] }, 'runtimes[1].name is taken: there is another runtime opencode.'],
    [
      'an unknown driver',
      { runtimes: [{ ...row, driver: 'mcp' }] },
      'runtimes[0].driver must be "acp", which is the only driver there is.',
    ],
    [
      'an empty command',
      { runtimes: [{ ...row, command: '' }] },
      'runtimes[0].command must be text of 1 to 4096 characters.',
    ],
    [
      'a relative command',
      { runtimes: [{ ...row, command: './agent' }] },
      'runtimes[0].command must be an absolute path or a name to be found on the PATH.',
    ],
    ['an argument that is a number', { runtimes: [{ ...row, args: ['-n', 1] }] }, 'runtimes[0].args[1] must be text.'],
    [
      "a variable that holds the server's own secret",
      { runtimes: [{ ...row, environment: ['DATABASE_URL'] }] },
      "runtimes[0].environment[0] must not name Yardmaster's own secrets.",
    ],
    ['an empty model list', { runtimes: [{ ...row, models: [] }] }, 'runtimes[0].models must name at least one model.'],
    [
      'models without a default',
      { runtimes: [{ ...row, models: [model] }] },
      'runtimes[0].models must have exactly one model with "default": true.',
    ],
    [
      'two models of one id',
      { runtimes: [{ ...row, models: [{ ...model, default: true }, model] }] },
      'runtimes[0].models must not name a model twice.',
    ],
  ]

  test.each(bad)('a runtimes file with %s is rejected', async (_, file, sentence) => {
    const problem = await read(file).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(StartupError)
    expect(problem).toHaveProperty('message', `${path}: ${sentence}`)
  })

  test('a missing runtimes file stops the start with a sentence that names it', async () => {
    const missing = join(folder, 'missing.json')
    await expect(open(missing)).rejects.toThrow(`${missing}: does not exist.`)
  })
})
