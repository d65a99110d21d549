import { BrowserSession } from '@yardmaster/contract/sign-ins/fields'
import { beforeEach, describe, expect, test } from 'vitest'
import { signInKeys } from '../../../src/domain/sign-ins/sign-in.ts'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { dashboardBrowser, signedIn } from '../../support/http/dashboard-browser.ts'

const password = 'the right password'
const app = testApp({
  environment: {
    ROLE: 'web',
    SUPERVISOR_PASSWORD: password,
    API_KEYS: `${testKey},another-key`,
    APP_HOST: 'yard.test',
  },
})
const address = '/web/session'
const makeLink = (key = testKey, now = new Date()) => signInKeys([key]).makeLink(now) ?? ''
const invalid = 'Sign in first: with an API key or a one-time link'

beforeEach(() => emptyTables(app.pool, 'sign_ins', 'used_sign_in_links', 'people'))

describe('POST /web/session', () => {
  test('an API key signs a browser in, with a cookie that only this server gets and no script reads', async () => {
    const browser = dashboardBrowser(app)
    const answer = await browser.post(address, { key: testKey })
    expect(answer.status).toBe(201)
    expect(BrowserSession.strict().parse(answer.body.session)).toMatchObject({
      name: null,
      person_key: null,
      signed_in_by: 'key',
      operator: false,
      web_auth: 'session',
    })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(`^yardmaster=[\\w-]{43}; Path=${browser.at('/web')}; Max-Age=2592000; HttpOnly; SameSite=Strict$`),
      ),
    ])
    const { session } = (await browser.get(address)).body
    expect(session).toEqual({ ...answer.body.session, last_event_id: session.last_event_id })
  })

  test('a body above 16 kB is refused with 413 before it is read, because anyone may send it', async () => {
    const browser = dashboardBrowser(app)
    const answer = await browser.post(address, { key: testKey, name: 'x'.repeat(17_000) })
    expectProblem(answer, 413, 'Body too large', 'The body is larger than this endpoint takes')
  })

  test('the answer names the newest event, after which a page follows the stream', async () => {
    const browser = dashboardBrowser(app)
    const { last_event_id: first } = (await browser.post(address, { key: testKey })).body.session
    await browser.call('PATCH', '/web/v1/settings', { body: { spot_max_concurrent_sessions: 7 } })
    const newest = async (): Promise<number> => (await browser.get(address)).body.session.last_event_id
    const named = async (): Promise<string[]> => {
      const range = [first, await newest()]
      const { rows } = await app.pool.query('select name from events where position > $1 and position <= $2', range)
      return rows.map(({ name }) => name)
    }
    // The sign-in is an event too, and may come first.
    await expect.poll(named).toContain('settings.changed')
  })

  test('signing in, naming a browser and signing out are each announced to open pages', async () => {
    const announced = async () => {
      const { rows } = await app.pool.query(`select id from events where name = 'sign_ins.changed'`)
      return rows.length
    }
    const browser = dashboardBrowser(app)
    const acts = [
      () => browser.post(address, { key: testKey }),
      () => browser.call('PATCH', address, { body: { name: 'Ada' } }),
      () => browser.call('DELETE', address),
    ]
    for (const act of acts) {
      const before = await announced()
      expect((await act()).status).toBeLessThan(300)
      expect(await announced()).toBe(before + 1)
    }
  })

  test('only a hash of the cookie and of the key is stored', async () => {
    const { cookie } = await signedIn(app)
    const { rows } = await app.pool.query('select * from sign_ins')
    const stored = JSON.stringify(rows) + rows.map(({ token_hash }) => token_hash.toString('latin1')).join()
    expect(stored).not.toContain(cookie.split('=')[1])
    expect(stored).not.toContain(testKey)
    expect(rows[0].token_hash).toHaveLength(32)
  })

  test('the cookie is Secure when a trusted proxy says that the request came by https', async () => {
    const answer = await dashboardBrowser(app).call('POST', address, {
      body: { key: testKey },
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'yard.test' },
    })
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/; SameSite=Strict; Secure$/)
  })

  test('a wrong key answers 401, and a missing or empty one 422', async () => {
    const browser = dashboardBrowser(app)
    expectProblem(
      await browser.post(address, { key: 'wrong' }),
      401,
      'Unauthorized',
      'That is not an API key of this server',
    )
    for (const body of [{}, { key: '' }, { key: null }, { key: ['a'] }, { key: 'x'.repeat(1001) }])
      expect((await browser.post(address, body)).status).toBe(422)
    expect(browser.cookie).toBe('')
  })

  test('the key of a turn signs no browser in', async () => {
    expect((await dashboardBrowser(app).post(address, { key: 'ymt_anything' })).status).toBe(401)
  })

  test('a browser that signs in again has one sign-in, the new one', async () => {
    const browser = await signedIn(app)
    const { cookie } = browser
    await browser.post(address, { key: 'another-key' })
    expect(browser.cookie).not.toBe(cookie)
    const { rows } = await app.pool.query('select id from sign_ins')
    expect(rows).toHaveLength(1)
  })

  test('a name that is given while signing in is the author from the start', async () => {
    const browser = await signedIn(app, 'Ada Lovelace')
    expect((await browser.get(address)).body.session).toMatchObject({
      name: 'Ada Lovelace',
      person_key: 'ada-lovelace',
    })
  })
})

describe('GET /web/session', () => {
  test('without a cookie, with a wrong one, and with a key instead, the answer is 401', async () => {
    for (const headers of [
      {},
      { cookie: 'yardmaster=' },
      { cookie: `yardmaster=${'A'.repeat(43)}` },
      { 'x-api-key': testKey },
      { authorization: `Bearer ${testKey}` },
    ] as Record<string, string>[])
      expectProblem(await dashboardBrowser(app).call('GET', address, { headers }), 401, 'Unauthorized', invalid)
  })

  test('a cookie under another name does not count', async () => {
    const { cookie } = await signedIn(app)
    const headers = { cookie: cookie.replace(/^yardmaster/, 'yardmaster_1') }
    expect((await dashboardBrowser(app).call('GET', address, { headers })).status).toBe(401)
  })

  test('the cookie is found among others', async () => {
    const { cookie } = await signedIn(app)
    const headers = { cookie: `a=1; ${cookie};b=2` }
    expect((await dashboardBrowser(app).call('GET', address, { headers })).status).toBe(200)
  })

  test('a sign-in ends with the API key that it was made with', async () => {
    const browser = await signedIn(app)
    await app.pool.query(`update sign_ins set key_hash = '\\x00'`)
    expect((await browser.get(address)).status).toBe(401)
  })

  test('a sign-in that is not used for 30 days ends, and one that is used goes on', async () => {
    const browser = await signedIn(app)
    await app.pool.query(`update sign_ins set last_used_at = now() - interval '29 days'`)
    const used = await browser.get(address)
    expect(used.status).toBe(200)
    expect(used.headers.getSetCookie()).toEqual([
      expect.stringContaining(`Path=${browser.at('/web')}; Max-Age=2592000`),
    ])
    expect(Date.parse(used.body.session.expires_at)).toBeGreaterThan(Date.now() + 29 * 86_400_000)
    expect((await browser.get(address)).headers.getSetCookie()).toEqual([])
    await app.pool.query(`update sign_ins set last_used_at = now() - interval '30 days 1 second'`)
    expect((await browser.get(address)).status).toBe(401)
  })
})

describe('PATCH /web/session', () => {
  test('a name makes the person a user of the dashboard, and the same name is the same person', async () => {
    const [one, other] = [await signedIn(app), await signedIn(app)]
    const named = await one.call('PATCH', address, { body: { name: ' Ada  Lovelace ' } })
    expect(named.body.session).toMatchObject({ name: 'Ada  Lovelace', person_key: 'ada-lovelace' })
    await other.call('PATCH', address, { body: { name: 'ada  lovelace' } })
    expect((await other.get(address)).body.session).toMatchObject({ person_key: 'ada-lovelace' })
    expect((await app.get('/people')).body.people).toEqual([
      expect.objectContaining({ key: 'ada-lovelace', display_name: 'Ada  Lovelace', is_admin: true }),
    ])
  })

  test('two browsers that give one new name at the same time are one person', async () => {
    const browsers = await Promise.all(Array.from({ length: 5 }, () => signedIn(app)))
    await Promise.all(browsers.map((each) => each.call('PATCH', address, { body: { name: 'Grace' } })))
    expect((await app.get('/people')).body.people).toHaveLength(1)
  })

  test('a name whose key is taken by someone else gets another key', async () => {
    await app.post('/people', { key: 'ada', display_name: 'Ada B.' })
    const browser = await signedIn(app, 'Ada')
    expect((await browser.get(address)).body.session).toMatchObject({ name: 'Ada', person_key: 'ada-2' })
    expect((await (await signedIn(app, '艾达')).get(address)).body.session).toMatchObject({ person_key: 'person' })
  })

  test('a blank or long name answers 422 and changes nothing', async () => {
    const browser = await signedIn(app, 'Ada')
    for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 7 }])
      expect((await browser.call('PATCH', address, { body })).status).toBe(422)
    expect((await browser.get(address)).body.session.name).toBe('Ada')
  })

  test('a person who is removed leaves the browser signed in without a name', async () => {
    const browser = await signedIn(app, 'Ada')
    await app.delete('/people/ada')
    expect((await browser.get(address)).body.session).toMatchObject({ name: null, person_key: null })
  })
})

describe('POST /web/session/operator', () => {
  test("the operator's password gives the operator flag, and a wrong one answers 401", async () => {
    const browser = await signedIn(app)
    expect((await browser.post(`${address}/operator`, { password: 'wrong' })).status).toBe(401)
    expect((await browser.get(address)).body.session.operator).toBe(false)
    expect((await browser.post(`${address}/operator`, { password })).body.session.operator).toBe(true)
    expect((await browser.get(address)).body.session.operator).toBe(true)
    expect((await dashboardBrowser(app).post(`${address}/operator`, { password })).status).toBe(401)
  })
})

describe('DELETE /web/session', () => {
  test('signing out removes the cookie and ends it on the server', async () => {
    const browser = await signedIn(app)
    const { cookie } = browser
    const answer = await browser.call('DELETE', address)
    expect(answer.status).toBe(204)
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringContaining(`=; Path=${browser.at('/web')}; Max-Age=0; HttpOnly`),
    ])
    expect((await dashboardBrowser(app).call('GET', address, { headers: { cookie } })).status).toBe(401)
  })
})

describe('the pages about jobs', () => {
  test('a person who is signed in reads the pages about jobs, and acting still needs the password', async () => {
    const browser = await signedIn(app)
    for (const path of ['/jobs', '/jobs/list']) {
      expect((await browser.get(path)).status, path).toBe(200)
      expect((await dashboardBrowser(app).get(path)).status, path).toBe(401)
    }
    expect((await browser.get('/jobs/nothing/here')).status).toBe(401)
    expect((await browser.call('POST', '/jobs/queues/default/pause')).status).toBe(401)
    expect((await browser.get('/supervisor')).status).toBe(401)
  })

  test("the links of the pages about jobs stay below the browser's private path, and others do not", async () => {
    const browser = await signedIn(app)
    const { body } = await browser.get('/jobs')
    const links = [...body.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, address]) => address)
    expect(links).toContain(browser.at('/jobs/list'))
    expect(links).toContain('/supervisor')
    expect(links.filter((address) => /^\/jobs/.test(address))).toEqual([])
    expect((await browser.get('/jobs/list?class=%22%20href=%22/jobs')).body).not.toContain(' href="/jobs')
    const headers = { authorization: `Basic ${btoa(`supervisor:${password}`)}` }
    const { body: board } = await browser.call('GET', '/jobs', { headers })
    const action = browser.at('/jobs/queues/default/pause')
    const [, fields = ''] = board.split(`action="${action}"`)
    const [, token = ''] = /name="form_token" value="([^"]*)"/.exec(fields) ?? []
    const paused = await app.send(action, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_token: token }).toString(),
    })
    expect([paused.status, paused.headers.get('location')]).toEqual([303, `${browser.at('/jobs')}?done=pause`])
  })
})

describe('the private path of a browser', () => {
  test('a cookie counts below a private path only, because other ports of the host cannot name it', async () => {
    const { cookie, at } = await signedIn(app)
    for (const path of ['/web/session', '/web/v1/sessions', '/web/v1/events', '/jobs', '/mcp_oauth/status/1']) {
      expect((await app.send(path, { headers: { cookie } })).status, path).toBe(401)
      expect((await app.send(path.replace(/^(\/web)?/, '/web/~short'), { headers: { cookie } })).status, path).toBe(401)
    }
    expect((await app.send(at('/web/session'), { headers: { cookie } })).status).toBe(200)
  })

  test('signing in elsewhere is refused, and does not use up the link', async () => {
    const key = makeLink()
    for (const path of [address, '/web/~short/session', `/web/~${'a'.repeat(129)}/session`]) {
      const answer = await app.send(path, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      })
      expect(answer.headers.getSetCookie(), path).toEqual([])
      expect(answer.status, path).toBe(path === address ? 400 : 401)
    }
    expect((await dashboardBrowser(app).post(address, { key })).status).toBe(201)
  })

  test('a private path leads to nothing but what a signed-in browser uses', async () => {
    const browser = await signedIn(app)
    for (const path of ['/api/v1/sessions', '/supervisor', '/up', '/health', '/mcp', '/~other/v1/sessions'])
      expect((await browser.get(`/web${path}`)).status, path).toBe(404)
  })
})

describe('/web/v1/sign_ins', () => {
  test('the list shows each browser without its secrets, and one can sign another out', async () => {
    const mine = await signedIn(app, 'Ada')
    const lost = dashboardBrowser(app)
    await lost.call('POST', address, { body: { key: makeLink() }, headers: { 'user-agent': 'Lost Phone' } })
    const { sign_ins: listed, pagination } = (await mine.get('/web/v1/sign_ins')).body
    expect(pagination.total_count).toBe(2)
    expect(listed.map(({ is_current, name, signed_in_by }: typeof listed) => [is_current, name, signed_in_by])).toEqual(
      [
        [false, null, 'link'],
        [true, 'Ada', 'key'],
      ],
    )
    expect(listed[0].user_agent).toBe('Lost Phone')
    expect(Object.keys(listed[0]).filter((key) => /hash|token/.test(key))).toEqual([])

    expect((await mine.call('DELETE', `/web/v1/sign_ins/${listed[0].id}`)).status).toBe(204)
    expect((await lost.get(address)).status).toBe(401)
    expect((await mine.call('DELETE', `/web/v1/sign_ins/${listed[0].id}`)).status).toBe(404)
    expect((await app.get('/sign_ins')).status).toBe(404)
  })
})
