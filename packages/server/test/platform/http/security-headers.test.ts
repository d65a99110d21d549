import { describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { type RawAnswer, requestHead, sendRaw } from '../../support/http/raw-http.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const key = `X-API-Key: ${testKey}`

/** One request for each kind of answer, from an endpoint's own to those below HTTP. */
const requests: [string, string][] = [
  ['an answer', requestHead('GET /api/v1/categories', [key])],
  ['a probe', requestHead('GET /up')],
  ['the reference', requestHead('GET /docs')],
  ['the style sheet', requestHead('GET /docs/reference.css')],
  ['the description', requestHead('GET /api/v1/openapi.json', [key])],
  ['401', requestHead('GET /api/v1/categories')],
  ['404', requestHead('GET /api/v1/nothing', [key])],
  ['404 of an unreadable path', requestHead('GET /%zz')],
  ['421', requestHead('GET /', ['Host: evil.test'])],
  ['422', `${requestHead('POST /api/v1/categories', [key, 'Content-Type: text/plain', 'Content-Length: 1'])}x`],
  ['400', 'nonsense\r\n\r\n'],
  ['431', requestHead('GET /', [`X-Long: ${'x'.repeat(20_000)}`])],
]

function expectHardened({ headers }: RawAnswer): void {
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['content-security-policy']).not.toContain('unsafe')
  expect(headers).not.toHaveProperty('server')
  expect(headers).not.toHaveProperty('x-powered-by')
}

describe('every answer carries the security headers', () => {
  test.each(requests)('every security header is on the answer: %s', async (_name, request) =>
    expectHardened(await sendRaw(app.url, request)),
  )
})

describe('no answer lets another origin read it', () => {
  test.each(requests.slice(0, -2))('no CORS header and no cookie is on the answer: %s', async (_name, request) => {
    const fromElsewhere = request.replace('\r\n\r\n', '\r\nOrigin: https://evil.test\r\n\r\n')
    const { headers } = await sendRaw(app.url, fromElsewhere)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test('a preflight request is answered like any unknown method', async () => {
    const preflight = ['Origin: https://evil.test', 'Access-Control-Request-Method: POST']
    for (const [headers, status] of [
      [preflight, 401],
      [[...preflight, key], 404],
    ] as const) {
      const answer = await sendRaw(app.url, requestHead('OPTIONS /api/v1/categories', headers))
      expect(answer.status).toBe(status)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('every answer of HTTP', () => {
  test('every answer of HTTP has a request id of its own', async () => {
    const ask = () => sendRaw(app.url, requestHead('GET /up', ['Request-Id: mine']))
    const ids = [await ask(), await ask()].map(({ headers }) => headers['x-request-id'])
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
  })

  test('every answer of HTTP declares JSON as UTF-8', async () => {
    for (const request of [requests[0], requests[4], requests[5], requests[6], requests[7], requests[10]]) {
      const { headers } = await sendRaw(app.url, request?.[1] ?? '')
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })
})
