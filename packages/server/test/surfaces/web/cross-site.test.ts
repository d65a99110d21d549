import { describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { dashboardBrowser, signedIn } from '../../support/http/dashboard-browser.ts'
import { requestHead, sendRaw } from '../../support/http/raw-http.ts'

const app = testApp({ environment: { ROLE: 'web', APP_HOST: 'yard.test' } })

type Case = [name: string, headers: (own: string) => Record<string, string>, status: number]

const cases: Case[] = [
  ['Sec-Fetch-Site same-origin', () => ({ 'sec-fetch-site': 'same-origin' }), 201],
  [
    'Sec-Fetch-Site same-origin and a foreign Origin',
    () => ({ 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' }),
    201,
  ],
  ['Sec-Fetch-Site cross-site', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
  ['Sec-Fetch-Site same-site', () => ({ 'sec-fetch-site': 'same-site' }), 403],
  ['Sec-Fetch-Site none', () => ({ 'sec-fetch-site': 'none' }), 403],
  ['Sec-Fetch-Site in other letters', () => ({ 'sec-fetch-site': 'Same-Origin' }), 403],
  ['Sec-Fetch-Site cross-site with our Origin', (own) => ({ 'sec-fetch-site': 'cross-site', origin: own }), 403],
  ['our Origin alone', (own) => ({ origin: own }), 201],
  ['our Origin with another scheme', (own) => ({ origin: own.replace('http', 'https') }), 403],
  ['our Origin with another port', (own) => ({ origin: `${own}1` }), 403],
  ['a foreign Origin', () => ({ origin: 'https://evil.test' }), 403],
  ['the Origin null', () => ({ origin: 'null' }), 403],
  ['neither header', () => ({}), 403],
]

describe('a request below /web that is no GET', () => {
  test.each(cases)('%s', async (_name, headersFor, status) => {
    const browser = await signedIn(app)
    const post = async (path: string, body: object, { cookie = '' } = {}) =>
      (
        await app.send(browser.at(path), {
          method: 'POST',
          headers: { 'content-type': 'application/json', cookie, ...headersFor(app.url) },
          body: JSON.stringify(body),
        })
      ).status
    expect(await post('/web/v1/categories', { name: crypto.randomUUID() }, browser)).toBe(status)
    expect(await post('/web/session', { key: testKey })).toBe(status)
  })

  test('PATCH, PUT, DELETE and an unknown address are refused like POST', async () => {
    const { cookie, at } = await signedIn(app)
    for (const [method, path] of [
      ['PATCH', '/web/session'],
      ['DELETE', '/web/session'],
      ['PATCH', '/web/v1/settings'],
      ['DELETE', '/web/v1/sessions/1'],
      ['POST', '/web/v1/nothing'],
      ['POST', '/%77eb/v1/categories'],
    ] as const)
      expect((await app.send(at(path), { method, headers: { cookie } })).status, `${method} ${path}`).toBe(403)
  })

  test('a body that is not JSON answers 422, whatever a form of another site could send', async () => {
    const { cookie, at } = await signedIn(app)
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/jsonx',
    ]) {
      const headers = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' }
      const answer = await app.send(at('/web/v1/categories'), { method: 'POST', headers, body: 'name=a' })
      expect(answer.status, type).toBe(422)
      expect(await answer.json()).toMatchObject({ messages: ['Send the body as application/json'] })
    }
  })
})

test('reading needs no proof of origin, but the cookie', async () => {
  const { cookie, at } = await signedIn(app)
  const read = async (headers: Record<string, string>) => (await app.send(at('/web/v1/categories'), { headers })).status
  expect(await read({ cookie })).toBe(200)
  expect(await read({})).toBe(401)
})

test('a host name that is not ours is answered 421 before anything else', async () => {
  const { cookie } = await signedIn(app)
  for (const target of ['GET /web/session', 'GET /web/v1/sessions', 'POST /web/session', 'GET /'])
    expect((await sendRaw(app.url, requestHead(target, ['Host: evil.test', `Cookie: ${cookie}`]))).status).toBe(421)
})

test('the name by which a proxy reaches the server is an origin of ours', async () => {
  const answer = await sendRaw(
    app.url,
    requestHead(`POST ${dashboardBrowser(app).at('/web/session')}`, [
      'Host: yard.test',
      'X-Forwarded-Proto: https',
      'Origin: https://yard.test',
      'Content-Type: application/json',
      'Content-Length: 18',
    ]) + JSON.stringify({ key: testKey }),
  )
  expect(answer.status).toBe(201)
  expect(String(answer.headers['set-cookie'])).toMatch(/^yardmaster=.*; Secure/)
})

test('no answer to a browser can be read by another site or kept in a cache', async () => {
  const browser = dashboardBrowser(app)
  const { headers } = await browser.post('/web/session', { key: testKey })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('permissions-policy')).toMatch(/camera=\(\).*microphone=\(\)/)
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})
