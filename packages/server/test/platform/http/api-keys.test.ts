import { METHODS } from 'node:http'
import { wholePath } from '@yardmaster/contract/address'
import { describe, expect, test } from 'vitest'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { type Answer, expectProblem, startTestApp, testApp, testKey } from '../../support/app/app.ts'
import { requestHead, sendRaw } from '../../support/http/raw-http.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** Webhooks are signed instead; their tests are in `domain/chat` and `domain/forge`. */
async function everyOperation(): Promise<{ method: string; path: string }[]> {
  const document = await app.get('/openapi.json')
  const paths: Record<string, object> = document.body.paths
  // Webhooks are signed, and the token in the path of an asker is its key.
  const keyed = Object.entries(paths).filter(([path]) => !/^\/webhooks\/|\{token\}/.test(path))
  const operations = keyed.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: wholePath(path).replace(/\{\w+\}/g, '1'),
    })),
  )
  return [...operations, { method: 'GET', path: '/api/v1/openapi.json' }]
}

async function readAnswer(response: Response): Promise<Answer> {
  return { status: response.status, body: await response.json(), headers: response.headers }
}

function expectUnauthorized(answer: Answer): void {
  expectProblem(answer, 401, 'Unauthorized', 'Invalid or missing API key')
}

describe('the list of API keys', () => {
  test('the list of API keys accepts the first, the last and the only key', () => {
    expect(apiKeys(['a', 'b', 'c']).placeOf('a')).toBe(0)
    expect(apiKeys(['a', 'b', 'c']).placeOf('c')).toBe(2)
    expect(apiKeys(['a']).placeOf('a')).toBe(0)
  })

  test('the list of API keys rejects a prefix of a key, a longer key, another case and two keys joined', () => {
    const keys = apiKeys(['alpha', 'beta'])
    for (const presented of ['alph', 'alphaa', 'Alpha', 'alpha,beta', 'alpha, beta', ' alpha']) {
      expect([presented, keys.placeOf(presented)]).toEqual([presented, undefined])
    }
  })

  test('the list of API keys rejects anything but a single string', () => {
    for (const presented of [undefined, null, '', ['alpha'], 7, {}]) {
      expect([presented, apiKeys(['alpha']).placeOf(presented)]).toEqual([presented, undefined])
    }
  })

  test('the list of API keys rejects every key when the list is empty or holds only an empty key', () => {
    for (const keys of [[], ['']]) {
      expect(apiKeys(keys).placeOf('')).toBeUndefined()
      expect(apiKeys(keys).placeOf(undefined)).toBeUndefined()
    }
  })

  // A test without timing cannot show that the comparison takes constant time. It shows that the position of a key does
  // not matter: each key of a long list is accepted, and none hides a later one.
  test('the list of API keys accepts a key at any position of the list, also when it is listed twice', () => {
    const names = Array.from({ length: 50 }, (_, index) => `key-${index}`)
    const keys = apiKeys([...names, ...names])
    expect(names.filter((name) => keys.placeOf(name) === undefined)).toEqual([])
    expect(keys.placeOf('key-50')).toBeUndefined()
  })
})

describe('every operation of the API', () => {
  test('every operation of the API answers 401 without a key, and with an empty, a wrong and a repeated one', async () => {
    const operations = await everyOperation()
    expect(operations.length).toBeGreaterThan(10)
    for (const { method, path } of operations) {
      for (const headers of [
        [],
        ['X-API-Key:'],
        ['X-API-Key: wrong'],
        [`X-API-Key: ${testKey}`, `X-API-Key: ${testKey}`],
      ]) {
        const answer = await sendRaw(app.url, requestHead(`${method} ${path}`, headers))
        expect({ method, path, headers, status: answer.status }).toEqual({ method, path, headers, status: 401 })
        expect(answer.body).toEqual({
          error: 'Unauthorized',
          message: 'Invalid or missing API key',
          messages: ['Invalid or missing API key'],
        })
      }
    }
  })

  test('every operation of the API answers 401 without a key however its address is spelled', async () => {
    for (const { method, path } of await everyOperation()) {
      const disguises = [
        `http://localhost${path}`,
        `HTTP://localhost${path}`,
        `http://someone@localhost${path}`,
        path.replace('/api', '/%61pi'),
        path.replace('/api', '/%61%70%69'),
        path.replace('/v1', '/%76%31'),
        `${path}?x=1`,
        `${path}#x`,
      ]
      for (const target of disguises) {
        const answer = await sendRaw(app.url, requestHead(`${method} ${target}`))
        expect({ method, target, status: answer.status }).toEqual({ method, target, status: 401 })
      }
    }
  })

  test('every operation of the API sends no WWW-Authenticate header', async () => {
    const response = await app.send('/api/v1/sessions')
    expect(response.headers.has('www-authenticate')).toBe(false)
  })

  test('every operation of the API ignores a key in the query, a cookie or an Authorization header', async () => {
    expectUnauthorized(await readAnswer(await app.send(`/api/v1/sessions?api_key=${testKey}&X-API-Key=${testKey}`)))
    const elsewhere: Record<string, string>[] = [
      { cookie: `X-API-Key=${testKey}` },
      { authorization: `Bearer ${testKey}` },
    ]
    for (const headers of elsewhere) {
      expectUnauthorized(await readAnswer(await app.send('/api/v1/sessions', { headers })))
    }
  })

  test('every operation of the API checks the key before ids, bodies, content types and parameters', async () => {
    const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{' }
    expectUnauthorized(await readAnswer(await app.send('/api/v1/categories', post)))
    expectUnauthorized(await readAnswer(await app.send('/api/v1/sessions/no-such-session')))
    expectUnauthorized(await readAnswer(await app.send('/api/v1/sessions?show_archived=perhaps')))
  })
})

async function expectUnknown(path: string): Promise<void> {
  const without = await sendRaw(app.url, requestHead(`GET ${path}`))
  const withKey = await sendRaw(app.url, requestHead(`GET ${path}`, [`X-API-Key: ${testKey}`]))
  expect([without.status, without.body.error]).toEqual([401, 'Unauthorized'])
  expect([withKey.status, withKey.body]).toEqual([
    404,
    {
      error: 'Not Found',
      message: 'The requested resource was not found',
      messages: ['The requested resource was not found'],
    },
  ])
}

describe('an address without a route', () => {
  const unknown = [
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v2/sessions',
    '/api/v1/nothing',
    '/api/v1/sessions/1/nothing/at/all',
    '/api/v1/%zz',
    '/api/v1/%00',
    '/api/v1/sessions/%zz',
  ]

  test.each(unknown)('the address %s, which has no route, is 401 without a key and 404 with it', expectUnknown)

  test('a very long address is 401 without a key and 404 with it', () =>
    expectUnknown(`/api/v1/sessions/${'x'.repeat(2000)}`))

  // CONNECT asks for a tunnel and is closed by the server without an answer.
  test.each(METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method)))(
    'the method %s on a path that does not have it is 401 without a key and 404 with it',
    async (method) => {
      for (const headers of [[], ['Content-Type: nonsense'], ['Content-Type: text/plain', 'Content-Length: 2']]) {
        const body = headers.length > 1 ? '{]' : ''
        const ask = (more: string[]) =>
          sendRaw(app.url, requestHead(`${method} /api/v1/sessions`, [...headers, ...more]) + body)
        const without = await ask([])
        const withKey = await ask([`X-API-Key: ${testKey}`])
        expect([headers, without.status, without.body.error]).toEqual([headers, 401, 'Unauthorized'])
        expect([headers, withKey.status, withKey.body.error]).toEqual([headers, 404, 'Not Found'])
      }
    },
  )

  test('outside the API is 404 with or without a key', async () => {
    for (const path of ['/nothing', '/apiary', '/%zz']) {
      const answer = await sendRaw(app.url, requestHead(`GET ${path}`))
      expect([path, answer.status, answer.body.error]).toEqual([path, 404, 'Not Found'])
    }
  })
})

describe('API_KEYS', () => {
  test('API_KEYS rejects every key when it is set but blank', async () => {
    const { app: closed, stop } = await startTestApp({ environment: { ROLE: 'web', API_KEYS: ' , ,' } })
    try {
      for (const headers of [[], ['X-API-Key:'], ['X-API-Key: ,'], [`X-API-Key: ${testKey}`]]) {
        const answer = await sendRaw(closed.url, requestHead('GET /api/v1/categories', headers))
        expect([headers, answer.status]).toEqual([headers, 401])
      }
    } finally {
      await stop()
    }
  })

  test('API_KEYS accepts each of several keys, ignoring spaces around them', async () => {
    const { app: several, stop } = await startTestApp({ environment: { ROLE: 'web', API_KEYS: ' one , two,three' } })
    try {
      for (const key of ['one', 'two', 'three']) {
        const response = await several.send('/api/v1/categories', { headers: { 'x-api-key': key } })
        expect([key, response.status]).toEqual([key, 200])
      }
    } finally {
      await stop()
    }
  })
})
