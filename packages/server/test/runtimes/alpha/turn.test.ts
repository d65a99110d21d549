import { access, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type ProcessIdentity, processTable } from '../../../src/platform/process/process-table.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { sweepMarked } from '../../../src/platform/process/stop.ts'
import type { AlphaOptions } from '../../../src/runtimes/alpha/config.ts'
import { models } from '../../../src/runtimes/alpha/models.ts'
import { alphaRuntime } from '../../../src/runtimes/alpha/runtime.ts'
import { type Equipment, noEquipment } from '../../../src/runtimes/equipment.ts'
import { offeredModels } from '../../../src/runtimes/models.ts'
import type { TurnOrder } from '../../../src/runtimes/runtime.ts'
import { stillRunning } from '../../support/processes/server-process.ts'

// The driver with a fake CLI that starts at once. test/agents runs the real one.

const fakeCli = fileURLToPath(new URL('fake-cli.mjs', import.meta.url))
const id = '11111111-1111-4111-8111-111111111111'

let folder: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-alpha-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'clone'))
})

describe('an agent', () => {
  test('an agent gets a minimal environment and folders of its own', async () => {
    const { env } = await given(
      { environment: { ANTHROPIC_BASE_URL: 'http://model.test' } },
      { environment: { CI: '1' } },
    )
    expect(env).toMatchObject({
      ...{ HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: join(folder, 'home', 'claude') },
      ...{ CLAUDE_CODE_TMPDIR: join(folder, 'home', 'tmp'), ANTHROPIC_BASE_URL: 'http://model.test', CI: '1' },
      ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_MAX_RETRIES: '10' },
    })
    expect(env).not.toHaveProperty('IS_SANDBOX')
    expect(env).not.toHaveProperty('VITEST')
  })

  test('an agent that writes its own settings, or those of its clone, cannot redirect what people are asked', async () => {
    const { args } = await given({}, { environment: { ELICITATION_POLL_URL: 'https://yard.test' } })
    const { env } = JSON.parse(await readFile(after(args, '--settings'), 'utf8'))
    expect(env).toMatchObject({
      ...{ ELICITATION_POLL_URL: 'https://yard.test', ELICITATION_REQUEST_URL: '' },
      ...{ ELICITATION_ENABLED: 'true', ELICITATION_SESSION_ID: '' },
    })
  })

  test('an agent is told of a sandbox only where the machine itself is one', async () => {
    const running = await runtime().start(order('tell', { isMachineTheSandbox: true }))
    await running.ended
    const { env } = JSON.parse(await readFile(join(folder, 'clone', 'given.json'), 'utf8'))
    expect(env).toMatchObject({ IS_SANDBOX: '1' })
  })

  test('an agent is told the size of its context only if the session limits it', async () => {
    await (await runtime().start(order('tell', { compactWindow: 150_000 }))).ended
    const { env } = JSON.parse(await readFile(join(folder, 'clone', 'given.json'), 'utf8'))
    expect(env).toMatchObject({ CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000' })
    expect((await given({})).env).not.toHaveProperty('CLAUDE_CODE_AUTO_COMPACT_WINDOW')
  })

  test('an agent gets all tools of its MCP servers at once only if the settings say so', async () => {
    await (await runtime().start(order('tell', { hasAllToolsAtOnce: true }))).ended
    const { env } = JSON.parse(await readFile(join(folder, 'clone', 'given.json'), 'utf8'))
    expect(env).toMatchObject({ ENABLE_TOOL_SEARCH: 'false' })
    expect((await given({})).env).not.toHaveProperty('ENABLE_TOOL_SEARCH')
  })

  test('an agent reads its key by a command from a file that only our user can read', async () => {
    const { args, env } = await given({ environment: { ANTHROPIC_API_KEY: 'sk-test' } })
    expect(JSON.stringify([args, env])).not.toContain('sk-test')
    const settings = JSON.parse(await readFile(after(args, '--settings'), 'utf8'))
    const keyFile = join(folder, 'home', 'yardmaster', 'provider-key')
    expect(settings).toMatchObject({ apiKeyHelper: `cat ${keyFile}` })
    expect(await readFile(keyFile, 'utf8')).toBe('sk-test\n')
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
    await given({ environment: {} })
    await expect(access(keyFile)).rejects.toThrow('ENOENT')
  })

  test('an agent uses the login file of the host in place', async () => {
    const { env, args } = await given({ environment: {}, credentialsFile: '/home/operator/.claude/.credentials.json' })
    expect(env.CLAUDE_SECURESTORAGE_CONFIG_DIR).toBe('/home/operator/.claude')
    expect(await readFile(after(args, '--settings'), 'utf8')).not.toContain('apiKeyHelper')
  })

  test('an agent gets instructions in a file, and no flag without any', async () => {
    const { args } = await given({}, { instructions: 'Be brief.' })
    expect(await readFile(after(args, '--append-system-prompt-file'), 'utf8')).toBe('Be brief.')
    expect((await given({})).args).not.toContain('--append-system-prompt-file')
  })
})

describe('permissions', () => {
  const flagsOf = async (more: Partial<TurnOrder>) => {
    await (await runtime().start(order('tell', more))).ended
    const { args } = JSON.parse(await readFile(join(folder, 'clone', 'given.json'), 'utf8'))
    return args.filter((flag: string) => /permission|bypass|stdio|default/.test(flag))
  }

  test('permissions are all given by default, and asked for by the control protocol where people decide', async () => {
    expect(await flagsOf({})).toEqual(['--permission-mode', 'bypassPermissions'])
    expect(await flagsOf({ ask: async () => ({ action: 'decline' }) })).toEqual([
      ...['--permission-mode', 'default'],
      ...['--permission-prompt-tool', 'stdio'],
    ])
  })
})

describe('a conversation', () => {
  const transcript = (project: string) => join(folder, 'home', 'claude', 'projects', project, `${id}.jsonl`)
  const expected = () => join(folder, 'clone').replace(/[^a-zA-Z0-9]/g, '-')
  const write = async (path: string, text: string) => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }

  test('a conversation starts under its id', async () => {
    expect(after((await given({})).args, '--session-id')).toBe(id)
  })

  test('a conversation with a transcript is resumed, by its path if the CLI would not find it', async () => {
    await write(transcript(expected()), '{"parentUuid":null}\n')
    expect(after((await given({})).args, '--resume')).toBe(id)
    await rm(transcript(expected()))
    await write(transcript('-elsewhere'), '{"parentUuid":null}\n')
    expect(after((await given({})).args, '--resume')).toBe(transcript('-elsewhere'))
  })

  test('a conversation whose transcript has only bookkeeping starts again', async () => {
    await write(transcript(expected()), '{"type":"queue-operation"}\n')
    expect(after((await given({})).args, '--session-id')).toBe(id)
    await expect(access(transcript(expected()))).rejects.toThrow('ENOENT')
  })

  test('a conversation whose transcript is lost is still resumed, so that the CLI reports the error', async () => {
    await write(transcript(expected()), '{"parentUuid":null}\n')
    await given({})
    await rm(transcript(expected()))
    expect(after((await given({})).args, '--resume')).toBe(id)
  })

  test('a conversation whose transcript has only a part of its first entry starts again', async () => {
    await write(transcript(expected()), `{"type":"queue-operation"}\n{"parentUuid":null,"text":"${'x'.repeat(200_000)}`)
    expect(await runtime().transcriptFiles(order('done').conversation)).toEqual([])
    expect(after((await given({})).args, '--session-id')).toBe(id)
  })
})

describe('a turn', () => {
  test('a turn that onUp rejects gets no prompt and leaves no agent running', async () => {
    const up: ProcessIdentity[] = []
    const onUp: TurnOrder['onUp'] = async (identity) => {
      up.push(identity)
      throw new Error('not wanted')
    }
    await expect(runtime().start(order('done', { onUp }))).rejects.toThrow('not wanted')
    expect(up).toHaveLength(1)
    expect(await stillRunning(up)).toEqual([])
  })

  test('a turn is interrupted by protocol', async () => {
    const running = await runtime().start(order('wait'))
    await Promise.all([running.interrupt(), running.interrupt()])
    expect(await running.ended).toEqual({ kind: 'interrupted' })
    expect(await processTable().isRunning(running.identity)).toBe(false)
  })

  test('a turn without a CLI fails with the command that installs it', async () => {
    await expect(runtime({ command: '/nowhere/claude' }).start(order('done'))).rejects.toThrow(
      'Cannot start /nowhere/claude: it is not there; install it with `npm run agents:install -- runtime_alpha`',
    )
  })
})

function runtime(options: Partial<AlphaOptions> = {}) {
  return alphaRuntime({ command: fakeCli, environment: {}, models: offeredModels(models), ...options })
}

function order(prompt: string, more: Partial<TurnOrder> = {}): TurnOrder {
  const marker = newRunMarker()
  onTestFinished(async () => void (await sweepMarked(marker)))
  return {
    conversation: { id, home: join(folder, 'home'), workingDirectory: join(folder, 'clone') },
    ...{ prompt, model: 'claude-opus-4-8', equipment: noEquipment, marker },
    ...{ onUp: async () => undefined, onNamed: async () => undefined },
    confine: async (program) => program,
    ...{ onActivity: () => undefined, onNotice: () => undefined },
    ...more,
  }
}

/** The arguments and environment of the fake CLI, which it writes to a file. */
async function given(
  options: Partial<AlphaOptions>,
  equipment: Partial<Equipment> = {},
): Promise<{ args: string[]; env: Record<string, string> }> {
  const running = await runtime(options).start(order('tell', { equipment: { ...noEquipment, ...equipment } }))
  expect(await running.ended).toEqual({ kind: 'completed' })
  return JSON.parse(await readFile(join(folder, 'clone', 'given.json'), 'utf8'))
}

function after(args: readonly string[], flag: string): string {
  return args[args.indexOf(flag) + 1] ?? ''
}
