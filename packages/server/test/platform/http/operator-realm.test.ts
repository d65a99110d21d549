import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { operatorRealm } from '../../../src/platform/http/operator-realm.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'

const navigation = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const json = { accept: 'application/json' }
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const right = basic('supervisor', 'pässword: with colon')

/** A server with one guarded endpoint for each method, and what the realm logs. */
async function realm({ isClosed = false, password = 'pässword: with colon', trustedProxies = [] as string[] } = {}) {
  const { log, records } = recordedLog()
  let ms = 0
  const { check: operator } = operatorRealm({
    username: 'supervisor',
    password: isClosed ? undefined : password,
    log,
    now: () => ms,
  })
  const guarded = (['GET', 'POST'] as const).map((method) =>
    defineEndpoint({
      auth: 'operator',
      method,
      path: '/api/guarded',
      name: `test.${method.toLowerCase()}`,
      tag: 'Test',
      summary: 'Answer',
      answers: { 200: z.object({}) },
      handle: async () => ok({}),
    }),
  )
  const server = await kitServer(guarded, { checkers: { operator }, trustedProxies })
  const ask = async (headers: Record<string, string>, method = 'GET', path = '/api/guarded') => {
    const answer = await fetch(server.url + path, { method, headers })
    const text = await answer.text()
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), headers: answer.headers, text }
  }
  const pass = (seconds: number) => {
    ms += seconds * 1000
  }
  return { ask, records, pass }
}

const challenge = 'Basic realm="Yardmaster operator", charset="UTF-8"'

describe('the operator realm', () => {
  test('the operator realm accepts the configured name and password, however the scheme is written', async () => {
    const { ask } = await realm()
    expect((await ask(right)).status).toBe(200)
    expect((await ask({ authorization: right.authorization.replace('Basic', 'bASIC ') }, 'POST')).status).toBe(200)
  })

  test.each([
    ['no credential', {}],
    ['a wrong password', basic('supervisor', 'wrong')],
    ['a wrong name', basic('root', 'pässword: with colon')],
    ['an empty password', basic('supervisor', '')],
    ['a credential without a colon', { authorization: `Basic ${Buffer.from('supervisor').toString('base64')}` }],
    ['another scheme', { authorization: `Bearer ${testKey}` }],
    ['an API key', { 'x-api-key': testKey }],
  ])('the operator realm answers 401 with a challenge to a navigation with %s', async (_, headers) => {
    const { ask } = await realm()
    expect(await ask({ ...navigation, ...headers })).toMatchObject({ status: 401, challenge })
    expect(await ask(headers)).toMatchObject({ status: 401, challenge })
  })

  test.each(['sec-purpose', 'x-sec-purpose', 'purpose'])(
    'the operator realm withholds the challenge from a speculative request that says so in %s',
    async (header) => {
      const { ask } = await realm()
      for (const purpose of ['prefetch', 'preview', 'prefetch;prerender'])
        expect(await ask({ ...navigation, [header]: purpose })).toMatchObject({ status: 401, challenge: null })
    },
  )

  test('the operator realm asks a form for the password with a challenge, and answers JSON without one', async () => {
    const { ask } = await realm()
    expect(await ask(navigation, 'POST')).toMatchObject({ status: 401, challenge })
    const refused = await ask(json, 'POST')
    expect(refused).toMatchObject({ status: 401, challenge: null })
    const sentence = 'This needs the operator credential (HTTP Basic, SUPERVISOR_PASSWORD).'
    expect(JSON.parse(refused.text)).toEqual({ error: 'Unauthorized', message: sentence, messages: [sentence] })
  })

  test('the operator realm without a password is closed, says so without a challenge, and logs each refusal, at most ten a minute', async () => {
    const { ask, records, pass } = await realm({ isClosed: true })
    for (const headers of [navigation, json, right]) {
      const refused = await ask(headers, 'POST', '/api/guarded?secret=1')
      expect(refused).toMatchObject({ status: 401, challenge: null })
      expect(refused.text).toMatch(/SUPERVISOR_PASSWORD .* Set it and start Yardmaster again\./)
    }
    const line = { level: 40, path: '/api/guarded', msg: expect.stringContaining('SUPERVISOR_PASSWORD') }
    expect(records()).toMatchObject(Array(3).fill({ ...line, method: 'POST' }))
    for (let count = 0; count < 20; count += 1) await ask(navigation)
    expect(records()).toHaveLength(10)
    pass(60)
    await ask(navigation)
    expect(records()).toHaveLength(11)
    expect(records().at(-1)).toMatchObject({ ...line, method: 'GET', unloggedRequests: 13 })
  })

  test('the operator realm logs only the beginning of a long address while it is closed', async () => {
    const { ask, records } = await realm({ isClosed: true })
    await ask({}, 'GET', `/supervisor/${'x'.repeat(5000)}`)
    const [{ path } = { path: '' }] = records()
    expect(String(path).length).toBeLessThanOrEqual(200)
  })

  test('the operator realm covers every address below /supervisor, also those without a route', async () => {
    const { ask } = await realm()
    for (const path of ['/supervisor', '/supervisor/', '/supervisor/sessions/1', '/supervisor?a=1'])
      expect((await ask({}, 'GET', path)).status).toBe(401)
    expect((await ask(right, 'GET', '/supervisor/nothing')).status).toBe(404)
    expect((await ask({}, 'GET', '/supervisors')).status).toBe(404)
  })

  test('the operator realm answers a right and a wrong password alike when a network has guessed twenty, until the minute is over', async () => {
    const { ask, pass, records } = await realm()
    const guess = async (count: number) => (await ask(basic('supervisor', `guess ${count}`))).status
    for (let count = 0; count < 20; count += 1) expect(await guess(count)).toBe(401)
    const comparable = async (headers: Record<string, string>) => {
      const { status, text, headers: answered } = await ask(headers)
      const names = [...answered.keys()].filter((name) => name !== 'x-request-id' && name !== 'date')
      return { status, text, headers: names.map((name) => [name, answered.get(name)]) }
    }
    pass(20)
    const refused = await comparable(basic('supervisor', 'guess 20'))
    expect(refused).toMatchObject({
      status: 429,
      text: expect.stringContaining('Too many wrong passwords from this address; try again in 40 s'),
      headers: expect.arrayContaining([['retry-after', '40']]),
    })
    expect(await comparable(right)).toEqual(refused)
    expect(await comparable(basic('supervisor', 'guess 1'))).toEqual(refused)
    expect((await ask(navigation)).status).toBe(401)
    expect(records().filter(({ level }) => level === 40)).toHaveLength(1)
    pass(40)
    expect((await ask(right)).status).toBe(200)
  })

  test('the operator realm lets a long password in although an agent at the same address has guessed too often', async () => {
    const password = 'a long random password of a person'
    const { ask, records } = await realm({ password })
    const guess = async (count: number) => (await ask(basic('supervisor', `guess ${count}`))).status
    for (let count = 0; count < 20; count += 1) expect(await guess(count)).toBe(401)
    expect(await guess(20)).toBe(429)
    expect((await ask(basic('supervisor', password))).status).toBe(200)
    expect(await guess(21)).toBe(429)
    expect(records()).toMatchObject([{ level: 40, msg: expect.stringContaining('too many wrong passwords') }])
  })

  test('the operator realm says once that a short password lets others at the address of the operator lock them out', async () => {
    const { records } = await realm()
    expect(records()).toMatchObject([{ msg: expect.stringContaining('SUPERVISOR_PASSWORD has fewer than 24') }])
  })

  test('the operator realm lets an operator at another address in while a network is over the limit, also behind a trusted proxy', async () => {
    const { ask } = await realm({ trustedProxies: ['127.0.0.1/32'] })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let count = 0; count < 20; count += 1)
      await ask({ ...basic('supervisor', `guess ${count}`), ...from('203.0.113.9') })
    expect((await ask({ ...right, ...from('203.0.113.9') })).status).toBe(429)
    expect((await ask({ ...right, ...from('203.0.113.9, 203.0.113.10') })).status).toBe(200)
    expect((await ask(right)).status).toBe(200)
  })

  test('the operator realm does not trust a forwarded address unless the proxy is named', async () => {
    const { ask } = await realm({ trustedProxies: ['192.0.2.7'] })
    for (let count = 0; count < 20; count += 1)
      await ask({ ...basic('supervisor', `guess ${count}`), 'x-forwarded-for': `203.0.113.${count}` })
    expect((await ask({ ...right, 'x-forwarded-for': '203.0.113.77' })).status).toBe(429)
  })

  test('wrong API keys do not close the operator realm', async () => {
    const { ask } = await realm()
    for (let count = 0; count < 25; count += 1) await ask({ 'x-api-key': `wrong-${count}` }, 'GET', '/api/v1/anything')
    expect((await ask({ 'x-api-key': 'wrong' }, 'GET', '/api/v1/anything')).status).toBe(429)
    expect((await ask(right)).status).toBe(200)
  })

  test('the operator realm refuses a form that another site posts with the right password', async () => {
    const { ask } = await realm()
    for (const from of ['cross-site', 'same-site', 'none'])
      expect((await ask({ ...right, 'sec-fetch-site': from }, 'POST')).status).toBe(403)
    for (const origin of ['https://evil.test', 'null'])
      expect((await ask({ ...right, origin }, 'POST')).status).toBe(403)
    expect((await ask({ ...right, 'sec-fetch-site': 'same-origin' }, 'POST')).status).toBe(200)
    expect((await ask({ ...right, 'sec-fetch-site': 'cross-site' })).status).toBe(200)
  })
})
