import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import type { BetaOptions } from '../../../src/runtimes/beta/config.ts'
import { unauthorizedServer } from '../../../src/runtimes/beta/notices.ts'
import { betaRuntime } from '../../../src/runtimes/beta/runtime.ts'
import { type McpServer, noEquipment } from '../../../src/runtimes/equipment.ts'
import type { Ask, Question } from '../../../src/runtimes/question.ts'
import type { RunningTurn, TurnOrder } from '../../../src/runtimes/runtime.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const script = fileURLToPath(new URL('./scripted-app-server.mjs', import.meta.url))

type Driven = { running: RunningTurn; notices: string[]; names: string[]; unauthorized: string[]; home: string }

type Options = Partial<BetaOptions & TurnOrder['conversation'] & Pick<TurnOrder, 'ask'>> & {
  mcpServers?: readonly McpServer[]
}

async function start(prompt: string, { ask, mcpServers = [], ...options }: Options = {}): Promise<Driven> {
  const home = await mkdtemp(join(tmpdir(), 'yardmaster-turn-'))
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
  const command = join(home, 'codex')
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${script}'\n`)
  await chmod(command, 0o755)
  const workingDirectory = join(home, 'clone')
  await mkdir(workingDirectory)
  const notices: string[] = []
  const names: string[] = []
  const unauthorized: string[] = []
  const running = await betaRuntime({ command, models: [], ...options }).start({
    conversation: { id: options.id, home, workingDirectory },
    prompt,
    model: 'gpt-6.1-sol',
    equipment: { ...noEquipment, mcpServers },
    marker: newRunMarker(),
    ...(ask && { ask }),
    onUp: async () => undefined,
    onNamed: async (name) => void names.push(name),
    confine: async (program) => program,
    onActivity: () => undefined,
    onNotice: (sentence) => void notices.push(sentence),
    onUnauthorized: (name) => void unauthorized.push(name),
  })
  onTestFinished(() => running.interrupt())
  return { running, notices, names, unauthorized, home }
}

test('completes a turn and reports the id of the new thread', async () => {
  const { running, names, home } = await start('complete')
  expect(await running.ended).toEqual({ kind: 'completed' })
  expect(names).toEqual(['01a1dda1-a740-7af1-9252-fcc77f284594'])
  expect(await readdir(join(home, '.codex'))).not.toContain('yardmaster-named-thread')
})

test('reports a server that asks for a sign-in by the name that the session knows it by, and no server that fails otherwise', async () => {
  const site = createServer((request, response) => {
    if (request.url === '/closed') response.setHeader('www-authenticate', 'Bearer')
    response.writeHead(request.url === '/open' ? 200 : 401).end()
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  const { port } = site.address() as AddressInfo // a TCP server has one
  const at = (name: string, path: string): McpServer => ({
    name,
    kind: 'http',
    url: `http://127.0.0.1:${port}${path}`,
    headers: {},
  })
  const mcpServers = [at('my vault', '/closed'), at('keyed', '/wrong-key'), at('open', '/open')]
  const { running, unauthorized, notices } = await start('complete', { mcpServers })
  expect(await running.ended).toEqual({ kind: 'completed' })
  expect(unauthorized).toEqual(['my vault'])
  expect(notices.sort()).toEqual([
    expect.stringMatching(/MCP server keyed: it did not start .*HTTP 401/),
    expect.stringContaining('MCP server my_vault: it asks for a sign-in'),
  ])
})

test('reads both forms in which codex reports a server without a valid token', () => {
  const failed = { threadId: 't', name: 'vault', status: 'failed', error: null, failureReason: null }
  const error = 'The vault MCP server is not logged in. Run `codex mcp login vault`.'
  expect(unauthorizedServer({ ...failed, error })).toBe('vault')
  expect(unauthorizedServer({ ...failed, failureReason: 'reauthenticationRequired' })).toBe('vault')
  expect(unauthorizedServer({ ...failed, error: `MCP client for \`vault\` failed to start: ${error}` })).toBeUndefined()
  expect(unauthorizedServer({ ...failed, status: 'ready', error })).toBeUndefined()
})

test('notices a turn that ends before the answer to turn/start arrives', async () => {
  expect(await (await start('at once')).running.ended).toEqual({ kind: 'completed' })
})

test('fails a turn whose model stays unreachable for longer than the limit', async () => {
  const { running, notices } = await start('outage', { outageMs: 200 })
  expect(await running.ended).toMatchObject({
    kind: 'failed',
    reason: 'rate_limit',
    detail: expect.stringContaining('last status: 429 Too Many Requests'),
  })
  expect(notices).toEqual([
    'Codex retries its call to the model. Reconnecting... 1/5. last status: 429 Too Many Requests.',
  ])
})

test('fails a turn whose provider asks for a long pause, with a sentence that says so', async () => {
  const { running } = await start('outage', { pauseMs: 200 })
  expect(await running.ended).toMatchObject({
    kind: 'failed',
    reason: 'rate_limit',
    detail: expect.stringContaining('The provider asks to wait for longer than 0.2 s.'),
  })
})

test('retries after status 529 as after status 429', async () => {
  const { running, notices } = await start('overloaded once', { retryDelaysMs: [20] })
  expect(await running.ended).toEqual({ kind: 'completed' })
  expect(notices).toEqual([expect.stringMatching(/The provider is busy.*529.*continue in 0.02 s \(1 of 1\)\.$/)])
})

test('ends an outage when the model answers again', async () => {
  expect(await (await start('recover', { outageMs: 100 })).running.ended).toEqual({ kind: 'completed' })
})

test('retries after status 429 and logs each retry', async () => {
  const { running, notices } = await start('busy twice', { retryDelaysMs: [20, 40, 60] })
  expect(await running.ended).toEqual({ kind: 'completed' })
  expect(notices).toEqual([
    expect.stringMatching(/The provider is busy.*429 Too Many Requests.*continue in 0.02 s \(1 of 3\)\.$/),
    expect.stringMatching(/continue in 0.04 s \(2 of 3\)\.$/),
  ])
})

test('fails the turn after the last retry, and at once for a spent quota', async () => {
  const busy = await start('always busy', { retryDelaysMs: [20, 40] })
  expect(await busy.running.ended).toMatchObject({ kind: 'failed', reason: 'rate_limit' })
  expect(busy.notices).toHaveLength(2)
  const spent = await start('spent')
  expect(await spent.running.ended).toMatchObject({ kind: 'failed', reason: 'rate_limit' })
  expect(spent.notices).toEqual([])
})

test('interrupts a turn that waits for its retry', async () => {
  const { running, notices } = await start('always busy', { retryDelaysMs: [600_000] })
  await eventually(
    async () => notices,
    ({ length }) => length === 1,
  )
  await running.interrupt()
  expect(await running.ended).toEqual({ kind: 'interrupted' })
})

test('declines requests, and answers unknown ones with an error', async () => {
  const { running, notices } = await start('ask')
  expect(await running.ended).toMatchObject({
    detail: expect.stringContaining('answered decline and Yardmaster does not answer something/new'),
  })
  expect(notices).toEqual(['Codex asked for permission to run a command. Yardmaster declined.'])
})

test('asks people for each request, and answers codex in its words', async () => {
  const asked: Question[] = []
  const ask: Ask = async (question) => {
    asked.push(question)
    const { properties } = question.schema as { properties: object }
    const value = { colour: 'Blue', project: 'x' }
    const content = Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)))
    return { action: 'accept', content }
  }
  const { running, notices } = await start('ask people', { ask })
  const end = await running.ended
  const answers = [
    ['c1', { decision: 'accept' }],
    ['e1', { action: 'accept', content: { project: 'x' }, _meta: null }],
    ['f1', { decision: 'accept' }],
    ['m1', { action: 'accept', content: {}, _meta: null }],
    ['p1', { permissions: { network: { enabled: true } }, scope: 'turn' }],
    ['u1', { answers: { colour: { answers: ['Blue'] } } }],
  ].map((answer) => JSON.stringify(answer))
  expect(end).toMatchObject({ detail: expect.stringContaining(`answered ${answers.join(' and ')}`) })
  expect(asked.map(({ message, toolName, context }) => [message, toolName, context])).toEqual([
    ['May Codex run this command? rm -r build', 'shell', 'to clean up'],
    ['May Codex change files? a.txt, b.txt', 'apply_patch', undefined],
    ['May Codex have further permissions for this turn? {"network":{"enabled":true}}', 'permissions', undefined],
    ['Which colour?', 'request_user_input', undefined],
    ['Allow tracker to run list?', 'tracker', undefined],
    ['Which project?', 'tracker', undefined],
  ])
  expect(notices).toEqual([])
})

test('declines what people decline or do not answer', async () => {
  for (const action of ['decline', 'expired'] as const) {
    const { running } = await start('ask people', { ask: async () => ({ action }) })
    const answers = [
      ['c1', { decision: 'decline' }],
      ['e1', { action: 'decline', content: null, _meta: null }],
      ['f1', { decision: 'decline' }],
      ['m1', { action: 'decline', content: null, _meta: null }],
      ['p1', { permissions: {}, scope: 'turn' }],
      ['u1', { answers: {} }],
    ].map((answer) => JSON.stringify(answer))
    expect(await running.ended).toMatchObject({ detail: expect.stringContaining(answers.join(' and ')) })
  }
})

test('lets codex ask only where people decide, also where turns run by codex exec', async () => {
  const ask: Ask = async () => ({ action: 'decline' })
  const policyOf = async (options: Options) =>
    (await (
      await start('settings', options)
    ).running.ended) as { detail: string }
  expect((await policyOf({})).detail).toContain('policy never')
  expect((await policyOf({ ask })).detail).toContain('policy untrusted')
  expect((await policyOf({ ask, mode: 'exec' })).detail).toContain('policy untrusted')
})

test('treats an exit without a report as a crash', async () => {
  expect(await (await start('exit')).running.ended).toMatchObject({
    kind: 'failed',
    reason: 'crash',
    detail: expect.stringContaining('exited with code 3'),
  })
})

test('interrupts by protocol, and tolerates a second interrupt', async () => {
  const { running } = await start('deaf')
  await Promise.all([running.interrupt(), running.interrupt()])
  expect(await running.ended).toEqual({ kind: 'interrupted' })
})

test('fails the turn if codex does not have the thread', async () => {
  const { running } = await start('complete', { id: '01a1dda1-0000-7af1-9252-fcc77f284594' })
  expect(await running.ended).toMatchObject({ kind: 'failed', reason: 'no_session' })
})
