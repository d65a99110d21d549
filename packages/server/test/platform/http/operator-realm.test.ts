import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { keyCheck } from '../../../src/platform/http/key-check.ts'
import { operatorChecker } from '../../../src/platform/http/operator-realm.ts'
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
async function realm({ isClosed = false } = {}) {
  const { log, records } = recordedLog()
  const guesses = keyCheck(apiKeys([testKey]), { log })
  const operator = operatorChecker({
    username: 'supervisor',
    password: isClosed ? undefined : 'pässword: with colon',
    log,
    guesses,
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
  const server = await kitServer(guarded, { checkers: { operator } })
  const ask = async (headers: Record<string, string>, method = 'GET', path = '/api/guarded') => {
    const answer = await fetch(server.url + path, { method, headers })
    const text = await answer.text()
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), headers: answer.headers, text }
  }
  return { ask, records }
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

  test('the operator realm without a password is closed, says so, and logs each refusal without a challenge', async () => {
    const { ask, records } = await realm({ isClosed: true })
    for (const headers of [navigation, json, right]) {
      const refused = await ask(headers, 'POST', '/api/guarded?secret=1')
      expect(refused).toMatchObject({ status: 401, challenge: null })
      expect(refused.text).toContain('SUPERVISOR_PASSWORD')
    }
    expect(records()).toMatchObject(
      Array(3).fill({
        level: 40,
        method: 'POST',
        path: '/api/guarded',
        msg: expect.stringContaining('SUPERVISOR_PASSWORD'),
      }),
    )
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

  test('the operator realm answers 429 to the 21st different wrong password, and still accepts the right one', async () => {
    const { ask } = await realm()
    const statuses: number[] = []
    for (let count = 0; count < 22; count += 1) statuses.push((await ask(basic('supervisor', `guess ${count}`))).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    expect((await ask(basic('supervisor', 'guess 1'))).status).toBe(401)
    expect((await ask(right)).status).toBe(200)
    expect(Number((await ask(basic('supervisor', 'one more'))).headers.get('retry-after'))).toBeGreaterThan(0)
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
