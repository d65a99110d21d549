import { beforeEach, describe, expect, test } from 'vitest'
import { makeApiKey } from '../../../src/domain/api-keys/api-key.ts'
import { openAuditLog } from '../../../src/domain/audit/audit.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { client, expectProblem, testApp } from '../../support/app/app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { dashboardBrowser, signedIn } from '../../support/http/dashboard-browser.ts'
import { operatorBrowser, operatorEnvironment } from '../../support/http/operator-browser.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: operatorEnvironment })

beforeEach(() => emptyTables(app.pool, 'audit_entries', 'sign_ins', 'api_keys', 'categories', 'sessions'))

const list = async (query = '') => (await app.get(`/audit${query}`)).body.audit_entries
const entries = (count: number) => eventually(list, (found) => found.length >= count)

describe('an entry', () => {
  test('of a request with a key says who did what to what, when, from where, and how it was answered', async () => {
    const { body } = await app.post('/categories', { name: 'Secret plans of ours' })
    const { id } = body.category
    await app.patch(`/categories/${id}`, { name: '' })
    await app.delete(`/categories/${id}`)
    const by = { actor_kind: 'key', actor: 'API_KEYS 1', key: 'API_KEYS 1', surface: 'api', address: '127.0.0.1' }
    expect((await entries(3)).toReversed()).toMatchObject([
      { ...by, operation: 'categories.create', target: `categories/${id}`, status: 201 },
      { ...by, operation: 'categories.update', target: `categories/${id}`, status: 422 },
      { ...by, operation: 'categories.delete', target: `categories/${id}`, status: 204 },
    ])
    const { rows } = await app.pool.query('select * from audit_entries')
    expect(JSON.stringify(rows)).not.toContain('Secret plans')
  })

  test('of a stored key has its label, also when a person signed in with it, and when the key may not write', async () => {
    const made = { label: 'Grafana', scope: 'read', expiresAt: null, madeBy: 'operator' } as const
    const { secret } = await makeApiKey(app.host.app.db, made)
    await client(app.url, secret).post('/categories', { name: 'No' })
    const browser = dashboardBrowser(app)
    await browser.post('/web/session', { key: secret, name: 'Ada' })
    await browser.post('/web/v1/categories', { name: 'No' })
    expect((await entries(3)).toReversed()).toMatchObject([
      { actor_kind: 'key', actor: 'Grafana', key: 'Grafana', operation: 'categories.create', status: 403 },
      { actor_kind: 'person', actor: 'Ada', key: 'Grafana', operation: 'browser_session.create', surface: 'web' },
      { actor_kind: 'person', actor: 'Ada', key: 'Grafana', operation: 'categories.create', surface: 'web' },
    ])
    expect(await list('?actor=Grafana')).toHaveLength(3)
  })

  test('of a person has their name', async () => {
    const browser = await signedIn(app, 'Grace')
    const { body } = await browser.post('/web/v1/categories', { name: 'Hers' })
    const found = await entries(2)
    const by = { actor_kind: 'person', actor: 'Grace', key: null, surface: 'web' }
    expect(found[0]).toMatchObject({ ...by, operation: 'categories.create', target: `categories/${body.category.id}` })
  })

  test('of the operator names the record of a form', async () => {
    const { body } = await app.post('/categories', { name: 'Old' })
    const page = `/supervisor/categories/${body.category.id}`
    await operatorBrowser(app).submit(page, `${page}/categories.delete`)
    const [entry] = await entries(2)
    expect(entry).toMatchObject({
      actor_kind: 'operator',
      surface: 'operator',
      operation: 'categories.delete',
      target: `categories/${body.category.id}`,
      status: 303,
    })
  })

  test('of a tool is that of its operation, and reading with tools makes none', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const { call } = mcpClient(app)
    await call('get_session', { id })
    await call('action_session', { session_id: id, action: 'archive' })
    const [entry] = await entries(1)
    expect(entry).toMatchObject({ surface: 'mcp', actor: 'API_KEYS 1', target: `sessions/${id}` })
    expect(entry.operation).toMatch(/^sessions\./)
    expect(await list()).toHaveLength(1)
  })

  test('is made neither for a read nor for a caller who did not prove who they are', async () => {
    await app.get('/categories')
    await app.send('/api/v1/categories', { method: 'POST' })
    await client(app.url, 'wrong').post('/categories', { name: 'No' })
    await dashboardBrowser(app).post('/web/session', { key: 'wrong' })
    await dashboardBrowser(app).post('/web/session', { no: 'key' })
    await app.post('/no_such_thing')
    await app.post('/categories', { name: 'Only this' })
    await entries(1)
    expect(await list()).toHaveLength(1)
  })

  test('holds no secret of a path', async () => {
    await app.post('/sessions/AKIAIOSFODNN7EXAMPLE/archive')
    await app.post('/categories', { name: 'After it' })
    const [, entry] = await entries(2)
    expect(entry).toMatchObject({ operation: 'sessions.archive', status: 404 })
    expect(entry.target).toMatch(/^sessions\//)
  })
})

describe('GET /audit', () => {
  beforeEach(async () => {
    await app.pool.query(
      `insert into audit_entries (entry_key, at, actor_kind, actor, operation, target, surface, address, status)
       select gen_random_uuid(), timestamptz '2026-01-01 12:00Z' + make_interval(days => n), 'person',
              case when n % 2 = 0 then 'Ada' else '100%' end, 'sessions.archive', 'sessions/' || n, 'web', '10.0.0.' || n, 200
       from generate_series(1, 6) as n`,
    )
  })
  const targets = async (query: string): Promise<string> =>
    (await list(query)).map(({ target }: { target: string }) => target.replace('sessions/', '')).join('')

  test.each([
    ['?actor=Ada', '642'],
    ['?actor=ada', ''],
    ['?operation=sessions.archive', '654321'],
    ['?operation=sessions', ''],
    ['?target=sessions/3', '3'],
    ['?from=2026-01-05', '654'],
    ['?to=2026-01-03', '21'],
    ['?from=2026-01-03&to=2026-01-04', '32'],
    ['?q=0.0.4', '4'],
    ['?q=ADA', '642'],
    ['?q=%25', '531'],
    ['?q=', '654321'],
    ['?per_page=2&page=2', '43'],
  ])('%s finds entries %s, the latest first', async (query, expected) => {
    expect(await targets(query)).toBe(expected)
  })

  test('a key that may only read, and a browser that signed in with one, are refused', async () => {
    const made = { label: 'Reader', scope: 'read', expiresAt: null, madeBy: 'operator' } as const
    const { secret } = await makeApiKey(app.host.app.db, made)
    expectProblem(
      await client(app.url, secret).get('/audit'),
      403,
      'Forbidden',
      'Reading this needs a key with the scope full',
    )
    const browser = dashboardBrowser(app)
    await browser.post('/web/session', { key: secret })
    expect((await browser.get('/web/v1/audit')).status).toBe(403)
    expect((await (await signedIn(app)).get('/web/v1/audit')).status).toBe(200)
    // Entries are written late, and a later test counts its own.
    await entries(8)
  })

  test('rejects a time that cannot be read with 422', async () => {
    expect((await app.get('/audit?from=yesterday')).status).toBe(422)
  })
})

describe('the log', () => {
  const entry = {
    ...({ actor_kind: 'key', actor: 'CI', key: 'CI', session_id: null, operation: 'x.y', target: null } as const),
    ...({ surface: 'api', address: null, status: 200, request_id: null } as const),
  }

  test('stores what was recorded in the last moment when it is closed', async () => {
    const { log } = recordedLog()
    const audit = openAuditLog({ db: app.host.app.db, clock: systemClock, log, redact: (text) => text })
    for (let index = 0; index < 1200; index += 1) audit.record({ ...entry, request_id: String(index) })
    await audit.close()
    const { rows } = await app.pool.query(`select count(*)::int as count from audit_entries where actor = 'CI'`)
    expect(rows).toEqual([{ count: 1200 }])
  })

  test('stores a name that PostgreSQL could not', async () => {
    const { log, records } = recordedLog()
    const audit = openAuditLog({ db: app.host.app.db, clock: systemClock, log, redact: (text) => text })
    audit.record({ ...entry, actor: 'with \0 and half a pair \ud800', target: 'x'.repeat(1000) })
    await audit.close()
    const [{ actor, target }] = await list()
    expect([actor, target.length, records()]).toEqual(['with \ufffd and half a pair \ufffd', 300, []])
  })

  test('is pruned after the days that the operator chose', async () => {
    await app.pool.query(
      `insert into audit_entries (entry_key, at, actor_kind, actor, operation, surface, status)
       select gen_random_uuid(), now() - make_interval(days => n), 'key', n::text, 'x.y', 'api', 200
       from unnest(array[364, 366]) as n`,
    )
    await runPeriodic(app.host.app, 'prune_audit')
    expect(await list()).toMatchObject([{ actor: '364' }])
  })
})
