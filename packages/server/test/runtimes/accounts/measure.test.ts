import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ServedLogin } from '../../../src/runtimes/accounts/vendor-accounts.ts'
import { alphaAccounts } from '../../../src/runtimes/alpha/accounts.ts'
import type { AlphaConfig } from '../../../src/runtimes/alpha/config.ts'
import { betaAccounts } from '../../../src/runtimes/beta/accounts.ts'
import type { BetaConfig } from '../../../src/runtimes/beta/config.ts'

const login: ServedLogin = {
  accessToken: 'token',
  expiresAt: null,
  email: null,
  subscriptionType: null,
  rateLimitTier: null,
  scopes: [],
}
const alphaHeaders = { 'anthropic-ratelimit-unified-5h-utilization': '0.5' }
const betaHeaders = { 'x-codex-primary-used-percent': '50' }

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has one
}

/** The drivers read only these of their configurations. */
const alphaAt = (url: string) => alphaAccounts({ ANTHROPIC_BASE_URL: url } as AlphaConfig, 'claude').measure(login)
const betaAt = (url: string) => betaAccounts({ OPENAI_BASE_URL: url } as BetaConfig, 'codex').measure(login)

test('a request that measures an account of runtime_alpha reports what it used', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, alphaHeaders)
    response.end(JSON.stringify({ id: 'msg_1', model: 'haiku', usage: { input_tokens: 8, output_tokens: 1 } }))
  })
  expect(await alphaAt(url)).toMatchObject({
    kind: 'measured',
    quota: { fiveHour: { utilization: 0.5 } },
    usage: { request_id: 'msg_1', model: 'haiku', input_tokens: 8, output_tokens: 1 },
  })
})

test('a request that measures an account of runtime_beta reports what the last event of its answer tells', async () => {
  const usage = { input_tokens: 20, input_tokens_details: { cached_tokens: 15 }, output_tokens: 3 }
  const completed = { type: 'response.completed', response: { id: 'resp_1', model: 'small', usage } }
  const url = await serve((_, response) => {
    response.writeHead(200, betaHeaders)
    response.write('event: response.created\ndata: {"type":"response.created"}\n\n')
    response.end(`event: response.completed\ndata: ${JSON.stringify(completed)}\n\n`)
  })
  expect(await betaAt(url)).toMatchObject({
    kind: 'measured',
    usage: { request_id: 'resp_1', model: 'small', input_tokens: 5, cache_read_tokens: 15, output_tokens: 3 },
  })
})

test.each<[string, (response: ServerResponse) => void]>([
  ['ends early', (response) => response.write('{"id":', () => response.destroy())],
  ['is no JSON', (response) => response.end('<html>')],
  ['is longer than any', (response) => response.write('x'.repeat(1024 * 1024))],
])('an account is measured also by an answer that %s', async (_, answer) => {
  const answerWith = (headers: Record<string, string>) => (_request: unknown, response: ServerResponse) =>
    answer(response.writeHead(200, headers))
  for (const measured of [
    await alphaAt(await serve(answerWith(alphaHeaders))),
    await betaAt(await serve(answerWith(betaHeaders))),
  ])
    expect(measured).toEqual({ kind: 'measured', quota: expect.any(Object) })
})

test('a request that a spent account refuses has used nothing', async () => {
  const url = await serve((_, response) => {
    response.writeHead(429, alphaHeaders)
    response.end(JSON.stringify({ id: 'msg_1', model: 'haiku', usage: { input_tokens: 8, output_tokens: 1 } }))
  })
  expect(await alphaAt(url)).toEqual({ kind: 'measured', quota: expect.any(Object) })
})
