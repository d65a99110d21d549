import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { apiKeyChecker, keyCheck } from '../../../src/platform/http/key-check.ts'
import { openHttpServer } from '../../../src/platform/http/server.ts'
import { refuse } from '../../../src/platform/refusal.ts'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { silentLog } from '../../support/log/silent-log.ts'

function answering(path: string, auth: Parameters<typeof defineEndpoint>[0]['auth']) {
  return defineEndpoint({
    auth,
    method: 'GET',
    path,
    tag: 'Test',
    summary: 'Answer',
    answers: { 200: z.object({}) },
    handle: async () => ok({}),
  })
}

function bareServer() {
  return openHttpServer({
    log: silentLog,
    checkers: { api_key: apiKeyChecker(keyCheck(apiKeys([testKey]), { log: silentLog })) },
    hosts: [],
  })
}

describe('a route without a declared auth', () => {
  test('a route without a declared auth refuses to register', () => {
    expect(() => bareServer().get('/forgotten', async () => ({}))).toThrow(
      'GET /forgotten does not declare its auth: one of api_key, operator, elicitation_token, webhook, browser, none',
    )
  })

  test('a route without a declared auth refuses to register under the API prefix as well', () => {
    const route = { method: ['POST', 'PUT'], url: '/api/v1/forgotten', handler: async () => ({}) } as const
    expect(() => bareServer().route({ ...route, method: [...route.method] })).toThrow(
      'POST, PUT /api/v1/forgotten does not declare its auth',
    )
  })
})

test('a route below /supervisor that does not ask for the operator refuses to register', () => {
  const open = { config: { auth: 'none' } } as const
  expect(() => bareServer().get('/supervisor/notes', open, async () => ({}))).toThrow('must declare auth operator')
})

describe('a kind of auth without a checker', () => {
  test.each(['operator', 'elicitation_token', 'webhook', 'browser'] as const)(
    'an endpoint that declares %s refuses to register',
    async (auth) => {
      await expect(kitServer([answering('/guarded', auth)])).rejects.toThrow(
        `GET /api/v1/guarded declares auth ${auth}, which has no checker`,
      )
    },
  )
})

describe('a kind of auth with a checker', () => {
  test('a kind of auth with a checker is decided by that checker alone: an API key neither helps nor is needed', async () => {
    const checkers = {
      operator: async ({ headers }: { headers: Record<string, unknown> }) => {
        if (headers['x-operator'] !== 'yes') refuse('unauthorized', 'Sign in as an operator')
      },
    }
    const server = await kitServer([answering('/guarded', 'operator')], { checkers })
    expectProblem(await server.get('/guarded'), 401, 'Unauthorized', 'Sign in as an operator')
    const signedIn = await server.send('/api/v1/guarded', { headers: { 'x-operator': 'yes' } })
    expect(signedIn.status).toBe(200)
  })

  test('a kind of auth with a checker is decided before the body is read', async () => {
    const checkers = { operator: () => refuse('unauthorized', 'Sign in as an operator') }
    const endpoint = defineEndpoint({
      auth: 'operator',
      method: 'POST',
      path: '/hook',
      tag: 'Test',
      summary: 'Receive',
      answers: { 200: z.object({}) },
      handle: async () => ok({}),
    })
    const server = await kitServer([endpoint], { checkers })
    const answer = await server.send('/api/v1/hook', {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer.status).toBe(401)
  })
})

describe('auth none', () => {
  test('auth none answers without a key under the API prefix, while its neighbours ask for one', async () => {
    const server = await kitServer([answering('/open', 'none'), answering('/closed', 'api_key')])
    expect((await server.send('/api/v1/open')).status).toBe(200)
    expect((await server.send('/api/v1/closed')).status).toBe(401)
    expect((await server.get('/closed')).status).toBe(200)
  })

  test('auth none does not open an address without a route: 401 without a key, 404 with it', async () => {
    const server = await kitServer([answering('/open', 'none')])
    expect((await server.send('/api/v1/open/further')).status).toBe(401)
    expect((await server.get('/open/further')).status).toBe(404)
  })
})

describe('the product', () => {
  const app = testApp({ environment: { ROLE: 'web' } })

  test.each(['/up', '/up/deep', '/docs', '/docs/reference.css', '/'])('GET %s needs no key', async (path) => {
    expect((await app.send(path, { redirect: 'manual' })).status).toBeLessThan(400)
  })

  test.each(['/api/v1/openapi.json', '/api/secrets/keys', '/api/v1/metrics'])('GET %s needs a key', async (path) => {
    expect((await app.send(path)).status).toBe(401)
    expect((await app.send(path, { headers: { 'x-api-key': testKey } })).status).toBe(200)
  })

  test('POST /mcp identifies the caller itself, by either kind of key', async () => {
    expect((await app.send('/mcp', { method: 'POST' })).status).toBe(401)
  })
})
