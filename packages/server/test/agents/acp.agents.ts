import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { defaultTimeouts } from '../../src/runtimes/acp/agent.ts'
import { agentsChoice } from '../../src/runtimes/acp/models.ts'
import { acpRuntime } from '../../src/runtimes/acp/runtime.ts'
import { mainThread, type Runtime } from '../../src/runtimes/runtime.ts'
import type { RecordedRequest } from '../support/model-server/model-server.ts'
import { newSleep, pidsOf, toolRunning } from '../support/processes/by-command.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { cli } from './support/cli.ts'
import { cliEnvironment } from './support/cli-environment.ts'
import { type DrivenSession, drivenSession } from './support/driven-session.ts'
import { modelServer } from './support/model-server.ts'

// The ACP driver with a real agent and a scripted model.

const model = modelServer()

async function agent(key = 'scripted'): Promise<Runtime> {
  const { HOME: _, PATH: __, ...environment } = await cliEnvironment('acp', { home: '', modelUrl: model.url, key })
  return acpRuntime({
    name: 'claude-acp',
    command: process.execPath,
    args: [cli('acp')],
    passEnvironment: [],
    setEnvironment: environment,
    models: [agentsChoice],
    timeouts: { ...defaultTimeouts, exitMs: 5000 },
  })
}

async function session(key?: string): Promise<DrivenSession> {
  return drivenSession(await agent(key), { model: agentsChoice.id })
}

function lastRequest(prompt: string): RecordedRequest | undefined {
  return model.requests.findLast((request) => !request.isSideCall && request.prompt.includes(prompt))
}

describe('a turn', () => {
  test('thinks, runs a tool, calls an MCP server and answers, and the transcript has all of it', async () => {
    const it = await session()
    const echo = {
      name: 'house',
      kind: 'stdio',
      command: process.execPath,
      args: [fileURLToPath(new URL('support/echo-mcp-server.mjs', import.meta.url))],
      env: {},
    } as const
    const prompt = 'think Hm\nsay Before\nrun echo from the shell\ntool echo {"text":"from the server"}\nsay After'
    const equipment = { mcpServers: [echo], instructions: 'The goal is a green build.' }
    expect(await it.run(prompt, { equipment })).toEqual({ kind: 'completed' })
    const lines = await it.lines()
    expect(JSON.parse(String(lines[0]))).toMatchObject({ type: 'user', message: { content: prompt } })
    const told = lines.slice(1).join('\n')
    for (const text of ['Hm', 'Before', 'echo from the shell', 'echo: from the server', 'After']) {
      expect(told).toContain(text)
    }
    expect(JSON.stringify(lastRequest('say After')?.body)).toContain('The goal is a green build.')
    expect(it.notices).toEqual([])
    expect(await it.usages()).toMatchObject([{ output_tokens: 60 }])
  })

  test('continues the conversation in a new process with another model', async () => {
    const it = await session()
    // As slow as a real model: the agent writes its conversation to disk a moment after it starts.
    await it.run('wait 1\nsay The first answer')
    const { id } = it.conversation
    expect(await it.run('say The second answer', { model: 'haiku' })).toEqual({ kind: 'completed' })
    // A session that was not resumed has a notice.
    expect(it.notices).toEqual([])
    const request = lastRequest('say The second answer')
    expect(request?.model).toContain('haiku')
    expect(JSON.stringify(request?.body)).toContain('The first answer')
    expect(JSON.stringify(request?.body)).not.toContain('earlier_conversation')
    expect(it.conversation.id).toBe(id)
  })

  test('records its subagent in a transcript of its own with its facts', async () => {
    const runtime = await agent()
    const it = await drivenSession(runtime, { model: agentsChoice.id })
    const prompt = 'subagent run echo from below\\nsay Below is done\nsay From above'
    expect(await it.run(prompt)).toEqual({ kind: 'completed' })
    const [main, subagent, ...others] = await runtime.transcriptFiles(it.conversation)
    expect(main?.thread).toBe(mainThread)
    expect(others).toEqual([])
    expect(subagent?.subagent).toMatchObject({ description: 'Scripted subagent', tool_use_id: expect.any(String) })
    const below = (await it.lines('subagent')).join('\n')
    for (const text of ['echo from below', 'Below is done']) expect(below).toContain(text)
    const above = (await it.lines()).slice(1).join('\n')
    expect(above).toContain('From above')
    expect(above).not.toContain('"command":"echo from below"')
    expect(above.match(/"type":"tool_use"/g)).toHaveLength(1)
    expect(above).not.toContain('"is_error":true')
  })

  test('with an unknown model fails with a list of the known ones', async () => {
    const it = await session()
    expect(await it.run('say Hi', { model: 'unheard-of' })).toMatchObject({
      kind: 'failed',
      reason: 'model',
      detail: expect.stringContaining('haiku'),
    })
  })
})

describe('an interrupt', () => {
  test('in the middle of an answer ends the turn, and the next one continues', async () => {
    const it = await session()
    const running = await it.start('say Beginning\nwait 60\nsay Never')
    await eventually(
      async () => lastRequest('wait 60'),
      (request) => request !== undefined,
    )
    await running.interrupt()
    expect(await running.ended).toEqual({ kind: 'interrupted' })
    expect(await it.run('say On we go')).toEqual({ kind: 'completed' })
    expect((await it.lines()).join('\n')).toContain('On we go')
  })

  test('in the middle of a tool leaves no process running', async () => {
    const it = await session()
    const sleep = newSleep()
    const running = await it.start(`run exec ${sleep}`)
    await toolRunning(sleep)
    await running.interrupt()
    expect(await running.ended).toEqual({ kind: 'interrupted' })
    expect(await pidsOf(sleep)).toEqual([])
    expect((await it.lines()).at(-1)).toContain('"is_error":true')
  })
})

describe('a conversation that the agent does not know', () => {
  test('after a fork is sent as a recap', async () => {
    const runtime = await agent()
    const source = await drivenSession(runtime, { model: agentsChoice.id })
    await source.run('say I am called Ada')
    const kept = await source.lines()
    const fork = await drivenSession(runtime, { model: agentsChoice.id })
    const { conversationId } = await runtime.writeTranscript(
      fork.conversation,
      (async function* () {
        yield* kept
      })(),
    )
    fork.conversation.id = conversationId
    expect(await fork.run('say In the fork')).toEqual({ kind: 'completed' })
    expect(JSON.stringify(lastRequest('say In the fork')?.body)).toContain('You: I am called Ada')
    expect(await fork.lines()).toHaveLength(kept.length + 2)
  })

  test('because its files are gone is sent as a recap, and logged', async () => {
    const it = await session()
    await it.run('say I am called Ada')
    await rm(join(it.conversation.home, '.claude'), { recursive: true })
    expect(await it.run('say Again')).toEqual({ kind: 'completed' })
    expect(JSON.stringify(lastRequest('say Again')?.body)).toContain('You: I am called Ada')
    expect(it.notices).toEqual([expect.stringContaining('gets a recap')])
  })
})

describe('a turn whose model rejects the call', () => {
  test.each([
    ['bad', 'say Hi', 'auth'],
    ['quota', 'say Hi', 'rate_limit'],
    ['scripted', 'fail 529', 'overloaded'],
    ['scripted', 'fail 400', 'too_long'],
  ] as const)('with key %s and prompt %s fails as it should', async (key, prompt, reason) => {
    const it = await session(key)
    expect(await it.run(prompt)).toMatchObject({ kind: 'failed', reason })
    expect(await it.lines()).not.toEqual([])
  })
})
