import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { models } from '../../src/runtimes/beta/models.ts'
import { betaRuntime } from '../../src/runtimes/beta/runtime.ts'
import { offeredModels } from '../../src/runtimes/models.ts'
import { newSleep, pidsOf, toolRunning } from '../support/processes/by-command.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { betaDriver } from './support/beta-driver.ts'
import { cli } from './support/cli.ts'
import { drivenSession } from './support/driven-session.ts'

const { model, beta, session } = betaDriver()

describe.each(['app-server', 'exec'] as const)('a turn by codex %s', (mode) => {
  test('codex names a new conversation and writes its answer to the rollout', async () => {
    const driven = await session({ mode })
    expect(await driven.run('say Hello there')).toEqual({ kind: 'completed' })
    expect(driven.conversation.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/)
    expect((await driven.lines()).join('\n')).toContain('Hello there')
  })

  test.each(['gpt-6.1-sol', 'gpt-5.5'])('a tool runs in the clone with %s', async (name) => {
    const driven = await session({ mode })
    expect(await driven.run('run echo made > made.txt\nsay Done it', { model: name })).toEqual({ kind: 'completed' })
    expect(await readFile(join(driven.conversation.workingDirectory, 'made.txt'), 'utf8')).toBe('made\n')
  })

  test('a conversation continues after a restart of the server, with another model', async () => {
    const first = await session({ mode })
    await first.run('say The first answer')
    const second = await drivenSession(beta({ mode }), { model: 'gpt-5.5', conversation: first.conversation })
    expect(await second.run('say The second answer')).toEqual({ kind: 'completed' })
    expect(second.conversation.id).toBe(first.conversation.id)
    const last = model.requests.at(-1)
    expect(last).toMatchObject({ model: 'gpt-5.5', prompt: 'say The second answer' })
    expect(JSON.stringify(last?.body)).toContain('The first answer')
  })

  test('an interrupt in the middle of an answer ends the turn, and the conversation continues', async () => {
    const driven = await session({ mode })
    const running = await driven.start('wait 100\nsay Never')
    await eventually(
      async () => model.requests.at(-1)?.prompt,
      (prompt) => prompt === 'wait 100\nsay Never',
    )
    await running.interrupt()
    expect(await running.ended).toEqual({ kind: 'interrupted' })
    expect(await driven.run('say Still here')).toEqual({ kind: 'completed' })
  })

  test('an interrupt in the middle of a tool ends the tool too', async () => {
    const driven = await session({ mode })
    const sleep = newSleep()
    const running = await driven.start(`run exec ${sleep}\nsay Never`)
    await toolRunning(sleep)
    await running.interrupt()
    expect(await running.ended).toEqual({ kind: 'interrupted' })
    expect(await pidsOf(sleep)).toEqual([])
    expect(await driven.run('say Still here')).toEqual({ kind: 'completed' })
  })

  test("a wrong key fails the turn with the vendor's words and advice", async () => {
    const driven = await session({ mode, environment: { OPENAI_API_KEY: 'a bad one' } })
    expect(await driven.run('say Hello')).toMatchObject({
      kind: 'failed',
      reason: 'auth',
      detail: expect.stringMatching(/401.*invalid x-api-key.*Set OPENAI_API_KEY/s),
    })
  })

  test('an unknown model fails the turn', async () => {
    const driven = await session({ mode })
    const end = await driven.run('say Hello', { model: 'gpt-missing' })
    expect(end).toMatchObject({ kind: 'failed', reason: 'model', detail: expect.stringContaining('gpt-missing') })
  })

  test('a conversation that is too long fails the turn', async () => {
    const driven = await session({ mode })
    expect(await driven.run('fail 400')).toMatchObject({ kind: 'failed', reason: 'too_long' })
  })

  test('a failed call to the model is retried and logged', async () => {
    const driven = await session({ mode })
    // Codex does not report its first two retries.
    expect(await driven.run('fail 500 4\nsay Recovered')).toEqual({ kind: 'completed' })
    expect(driven.notices.join('\n')).toContain('retries its call to the model')
    expect((await driven.lines()).join('\n')).toContain('Recovered')
  })

  test('a usage limit fails the turn, and the conversation continues when it is lifted', async () => {
    const driven = await session({ mode, retryDelaysMs: [] })
    expect(await driven.run('fail 429')).toMatchObject({
      kind: 'failed',
      reason: 'rate_limit',
      detail: expect.stringMatching(/429 Too Many Requests.*Wait until the limit is lifted/s),
    })
    expect(await driven.run('say Recovered')).toEqual({ kind: 'completed' })
  })

  test('a conversation that codex does not have fails the turn', async () => {
    const driven = await session({ mode })
    await driven.run('say Hello')
    await rm(join(driven.conversation.home, '.codex'), { recursive: true })
    expect(await driven.run('say Hello again')).toMatchObject({ kind: 'failed', reason: 'no_session' })
  })

  test('killing codex fails the turn, and the conversation continues', async () => {
    const driven = await session({ mode })
    const running = await driven.start('wait 100\nsay Never')
    await eventually(
      () => driven.lines(),
      (lines) => lines.some((line) => beta().showsReceipt(line)),
    )
    process.kill(running.identity.pid, 'SIGKILL')
    expect(await running.ended).toMatchObject({
      kind: 'failed',
      reason: 'crash',
      detail: expect.stringContaining('was killed by SIGKILL'),
    })
    expect(await driven.run('say Still here')).toEqual({ kind: 'completed' })
  })

  test('a prompt of 500,000 characters arrives whole', async () => {
    const driven = await session({ mode })
    const prompt = `say ${'0123456789'.repeat(50_000)}`
    expect(await driven.run(prompt)).toEqual({ kind: 'completed' })
    expect(model.requests.some((request) => request.prompt === prompt)).toBe(true)
  })

  test("tools see the session's variables, but no provider key", async () => {
    const driven = await session({ mode, environment: { OPENAI_API_KEY: 'a-secret-key' } })
    await driven.run('run env > seen.txt', { equipment: { environment: { DEPLOY_TOKEN: 'for the tools' } } })
    const seen = await readFile(join(driven.conversation.workingDirectory, 'seen.txt'), 'utf8')
    expect(seen).toContain('DEPLOY_TOKEN=for the tools')
    expect(seen).not.toContain('a-secret-key')
    expect(seen).not.toContain('OPENAI_API_KEY')
  })
})

describe('the id of a thread', () => {
  test('is reported before the model sees the prompt', async () => {
    const driven = await session()
    const before = model.requests.length
    let seen = -1
    await driven.run('say Hello', {
      onNamed: async () => {
        seen = model.requests.length
      },
    })
    expect(seen).toBe(before)
  })

  test('that onNamed rejects stops the agent before it gets the prompt', async () => {
    const driven = await session()
    const starting = driven.start('say Never', { onNamed: () => Promise.reject(new Error('taken by another')) })
    await expect(starting).rejects.toThrow('taken by another')
    expect(model.requests.some(({ prompt }) => prompt === 'say Never')).toBe(false)
  })

  test('whose first turn never began is replaced', async () => {
    const driven = await session()
    await driven.start('say Never', { onNamed: () => Promise.reject(new Error('we died here')) }).catch(() => undefined)
    const unused = driven.conversation.id
    expect(unused).toBeDefined()
    expect(await driven.run('say Hello')).toEqual({ kind: 'completed' })
    expect(driven.conversation.id).not.toBe(unused)
  })
})

describe('a provider that does not answer', () => {
  test('one that stays overloaded is asked again as one that has too many requests', async () => {
    const driven = await session({ retryDelaysMs: [100] })
    expect(await driven.run('fail 529')).toMatchObject({ kind: 'completed' })
    expect(driven.notices.join('\n')).toMatch(/asks Codex to continue in 0.1 s \(1 of 1\)/)
  })

  test('a pause of an hour fails the turn with a sentence that says so', async () => {
    const driven = await session({ environment: { OPENAI_API_KEY: 'pause' }, pauseMs: 5000, retryDelaysMs: [] })
    expect(await driven.run('say Hello')).toMatchObject({
      kind: 'failed',
      reason: 'rate_limit',
      detail: expect.stringContaining('The provider asks to wait for longer than 5 s.'),
    })
  })

  test('a quota that is spent for an hour fails the turn instead of blocking it', async () => {
    const driven = await session({ environment: { OPENAI_API_KEY: 'no quota left' }, outageMs: 3000 })
    expect(await driven.run('say Hello')).toMatchObject({ kind: 'failed', reason: 'rate_limit' })
  })

  test('an address without a server fails the turn', async () => {
    const driven = await session({ baseUrl: 'http://127.0.0.1:9/v1', outageMs: 3000 })
    expect(await driven.run('say Hello')).toMatchObject({ kind: 'failed', reason: 'overloaded' })
  })

  test('a missing key fails the turn with the name of its variable', async () => {
    const driven = await drivenSession(betaRuntime({ command: cli('runtime_beta'), models: offeredModels(models) }), {
      model: 'gpt-6.1-sol',
    })
    const end = await driven.run('say Hello')
    expect(end).toMatchObject({ kind: 'failed', reason: 'auth', detail: expect.stringContaining('OPENAI_API_KEY') })
  })
})

test('a missing program fails the turn with advice', async () => {
  const driven = await session({ command: '/nowhere/codex' })
  await expect(driven.run('say Hello')).rejects.toThrow(/Cannot start \/nowhere\/codex: .*RUNTIME_BETA_COMMAND/)
})
