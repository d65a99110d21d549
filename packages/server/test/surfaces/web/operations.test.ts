import { createWebClient } from '@yardmaster/client/client'
import { operations } from '@yardmaster/contract/operations'
import { webOperations } from '@yardmaster/contract/web-operations'
import { beforeEach, describe, expect, test } from 'vitest'
import { sampleRepository, testApp, testKey } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { type DashboardBrowser, dashboardBrowser, signedIn } from '../../support/http/dashboard-browser.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(() => emptyTables(app.pool, 'sessions', 'people', 'sign_ins'))

const forBrowsers = [...operations.filter(({ auth }) => auth === 'api_key'), ...webOperations]
const addressOf = ({ path }: { path: string }) =>
  (path.startsWith('/web/')
    ? path
    : path.startsWith('/api/')
      ? path.replace('/api/', '/web/')
      : `/web/v1${path}`
  ).replace(/\{\w+\}/g, '1')

describe('the operations for browsers', () => {
  test('every operation below /web answers 401 without a cookie, also to a caller with an API key', async () => {
    const { server } = app.host.web ?? {}
    const headers = { host: 'localhost', 'sec-fetch-site': 'same-origin', 'x-api-key': testKey }
    const answers = await Promise.all(
      forBrowsers
        .filter(({ name }) => name !== 'browser_session.create')
        .map(async ({ name, method, path }) => {
          const answer = await server?.inject({ method, url: addressOf({ path }), headers })
          return [name, answer?.statusCode]
        }),
    )
    expect(answers.filter(([, status]) => status !== 401)).toEqual([])
    expect(answers.length).toBeGreaterThan(100)
  })

  test('an address below /web that does not exist answers 401 without a cookie and 404 with one', async () => {
    for (const path of ['/web', '/web/', '/web/v1', '/web/v1/nothing', '/web/nothing']) {
      expect((await dashboardBrowser(app).get(path)).status, path).toBe(401)
      expect((await (await signedIn(app)).get(path)).status, path).toBe(404)
    }
  })

  test('the cookie opens nothing of the API', async () => {
    const browser = await signedIn(app)
    expect((await browser.get('/api/v1/sessions')).status).toBe(401)
  })

  test('tokens of elicitations and webhooks have no address below /web', async () => {
    const browser = await signedIn(app)
    for (const { path, auth } of operations.filter(({ auth }) => auth !== 'api_key'))
      expect((await browser.post(`/web/v1${path.replace(/\{\w+\}/g, '1')}`, {})).status, `${auth} ${path}`).toBe(404)
  })

  test('maintenance from a browser shares the cooldown of the health page, and says that it came from the web', async () => {
    const browser = await signedIn(app)
    await app.host.app.cache.close()
    expect((await browser.post('/web/v1/health/archive_old', {})).status).toBe(200)
    expect((await app.post('/health/archive_old', {})).status).toBe(200)
    expect((await (await signedIn(app)).post('/web/v1/health/archive_old', {})).status).toBe(429)
    const discarded = await browser.post('/web/v1/health/discard_queued_jobs', { job_class: 'x', expected_count: 0 })
    expect(discarded.body).toMatchObject({ actor: 'web UI' })
  })

  test('the answers are those of the API', async () => {
    const browser = await signedIn(app)
    const id = await insertSession(app.pool, { title: 'Router' })
    for (const path of [`/sessions/${id}`, '/sessions', '/categories', '/settings', '/sessions/999999'])
      expect((await browser.get(`/web/v1${path}`)).body).toEqual((await app.get(path)).body)
    expect((await browser.get('/web/secrets/keys')).body).toEqual((await app.get('/api/secrets/keys')).body)
  })

  test("the client's calls reach /web with the cookie of the browser", async () => {
    const { cookie, at } = await signedIn(app, 'Ada')
    const seen: string[] = []
    const client = createWebClient({
      url: app.url,
      privatePath: () => at('/web'),
      fetch: (address, init) => {
        seen.push(new URL(String(address)).pathname)
        return fetch(address, { ...init, headers: { ...init?.headers, cookie, 'sec-fetch-site': 'same-origin' } })
      },
    })
    expect((await client.browser_session.show()).session.name).toBe('Ada')
    expect((await client.sessions.list()).sessions).toEqual([])
    expect((await client.sign_ins.list()).sign_ins).toHaveLength(1)
    const stop = new AbortController()
    const events = client.events({ signal: stop.signal })
    const first = events.next()
    await eventually(
      async () => {
        await client.categories.create({ name: crypto.randomUUID() })
        return Promise.race([first, Promise.resolve(undefined)])
      },
      (event) => event !== undefined,
    )
    stop.abort()
    expect(new Set(seen)).toEqual(
      new Set(
        ['/session', '/v1/sessions', '/v1/sign_ins', '/v1/events', '/v1/categories'].map((path) => at('/web') + path),
      ),
    )
  })
})

describe('what a person does on the dashboard', () => {
  const show = async (id: number) => (await app.get(`/sessions/${id}`)).body

  test('a session that a person starts has the genesis web_ui, and its prompt is a message of theirs', async () => {
    const browser = await signedIn(app, 'Ada Lovelace')
    const git_root = await sampleRepository(`${app.shared}/repository`)
    const request = { agent_runtime: 'demo', git_root, prompt: 'say Hello', idempotency_key: 'once' }
    const made = await browser.post('/web/v1/sessions', request)
    expect(made.status).toBe(201)
    expect(made.body.session).toMatchObject({ genesis: 'web_ui', priority_class: 'priority' })
    expect((await browser.post('/web/v1/sessions', request)).body.idempotent_replay).toBe(true)
    const { human_messages, human_message_capture_gaps } = await show(made.body.session.id)
    expect(human_messages).toEqual([
      expect.objectContaining({
        author: 'ada-lovelace',
        author_display_name: 'Ada Lovelace',
        channel: 'web_ui',
        entry_point: 'web_ui.new_session',
        content: 'say Hello',
      }),
    ])
    expect(human_message_capture_gaps).toEqual([])
    const { turns } = (await browser.get(`/web/v1/sessions/${made.body.session.id}/turns`)).body
    expect(turns).toEqual([
      expect.objectContaining({ number: 1, author: { key: 'ada-lovelace', display_name: 'Ada Lovelace' } }),
    ])
    expect((await app.post('/sessions', { ...request, idempotency_key: 'api' })).body.session.genesis).toBe('api')
  })

  test('follow-ups and queued messages of a person are recorded, those of the API are not', async () => {
    const browser = await signedIn(app, 'Ada')
    const id = await insertRunningSession(app.pool)
    expect((await browser.post(`/web/v1/sessions/${id}/follow_up`, { prompt: 'Also add a test.' })).status).toBe(202)
    expect((await browser.post(`/web/v1/sessions/${id}/enqueued_messages`, { content: 'And docs.' })).status).toBe(201)
    const { enqueued_messages } = (await app.get(`/sessions/${id}/enqueued_messages`)).body
    const queued = `/sessions/${id}/enqueued_messages/${enqueued_messages[1].id}`
    await browser.call('PATCH', `/web/v1${queued}`, { body: { content: 'And short docs.' } })
    await app.patch(queued, { content: 'And docs, says a script.' })
    await app.post(`/sessions/${id}/follow_up`, { prompt: 'From a script.' })
    const { human_messages } = await show(id)
    expect(human_messages.map(({ entry_point, content }: Record<string, string>) => [entry_point, content])).toEqual([
      ['web_ui.follow_up', 'Also add a test.'],
      ['web_ui.enqueued_message', 'And docs.'],
      ['web_ui.enqueued_message', 'And short docs.'],
    ])
  })

  test('what a browser without a name says is reported as a gap', async () => {
    await signedIn(app, 'Ada')
    const browser = await signedIn(app)
    const id = await insertRunningSession(app.pool)
    await browser.post(`/web/v1/sessions/${id}/follow_up`, { prompt: 'Go on.' })
    const { human_messages, human_message_capture_gaps } = await show(id)
    expect(human_messages).toEqual([])
    expect(human_message_capture_gaps).toEqual([
      expect.objectContaining({
        channel: 'web_ui',
        session_ids: [id],
        remedy: 'Give a name on the dashboard. Messages sent in that browser after that are recorded.',
      }),
    ])
  })

  test('only a person in a browser gives feedback on the decision of a gate', async () => {
    const entry = { title: 'Merge it', decision: 'merge', pr: 'https://forge.test/acme/web/pull/1' }
    const recorded = await app.post('/gate_decisions', { gate: 'pr', surface: 'web', entry })
    expect(recorded.status, JSON.stringify(recorded.body)).toBe(201)
    const path = `/gate_decisions/${recorded.body.gate_decision.id}/feedbacks`
    const feedback = { verdict: 'wrong', note: 'It broke the build.', author: 'Ada' }
    const given = await (await signedIn(app)).post(`/web/v1${path}`, feedback)
    expect(given.status).toBe(201)
    expect(given.body.gate_decision.human_feedback).toEqual([
      expect.objectContaining({ ...feedback, channel: 'web_ui' }),
    ])
    expect((await app.post(path, feedback)).status).toBe(404)
  })
})

describe('GET /web/v1/events', () => {
  const follow = async ({ cookie, at }: DashboardBrowser) => {
    const response = await app.send(at('/web/v1/events'), { headers: { cookie } })
    return {
      status: response.status,
      end: response.text().then(
        () => 'ended',
        () => 'cut',
      ),
    }
  }

  test('the stream of a browser ends when it is signed out, and those of others go on', async () => {
    const [mine, lost] = [await signedIn(app), await signedIn(app)]
    const [kept, cut] = [await follow(mine), await follow(lost)]
    expect([kept.status, cut.status]).toEqual([200, 200])
    let isKept = true
    void kept.end.then(() => {
      isKept = false
    })
    const { sign_ins } = (await mine.get('/web/v1/sign_ins')).body
    const other = sign_ins.find(({ is_current }: { is_current: boolean }) => !is_current)
    await mine.call('DELETE', `/web/v1/sign_ins/${other.id}`)
    await cut.end
    expect(isKept).toBe(true)
    await mine.call('DELETE', '/web/session')
    await kept.end
  })

  test('without a cookie there is no stream, and no key in the address makes one', async () => {
    expect((await app.send('/web/v1/events')).status).toBe(401)
    expect((await app.send(`/web/v1/events?key=${testKey}&k=${testKey}`)).status).toBe(401)
  })
})
