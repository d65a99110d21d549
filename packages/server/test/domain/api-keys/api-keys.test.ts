import { beforeEach, describe, expect, test } from 'vitest'
import { answer as commandAnswer } from '../../../src/app/api-key-command.ts'
import { makeApiKey, type NewApiKey, readExpiry, revokeApiKey } from '../../../src/domain/api-keys/api-key.ts'
import { client, expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { dashboardBrowser } from '../../support/http/dashboard-browser.ts'
import { operatorBrowser, operatorEnvironment } from '../../support/http/operator-browser.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: operatorEnvironment })
const operator = operatorBrowser(app)

beforeEach(() => emptyTables(app.pool, 'sign_ins', 'api_keys'))

function make(values: Partial<NewApiKey> = {}) {
  const { db } = app.host.app
  return makeApiKey(db, { label: 'CI', scope: 'full', expiresAt: null, madeBy: 'operator', ...values })
}

const stored = async () => (await app.pool.query('select * from api_keys')).rows
const page = '/supervisor/api_keys'
const revoke = (id: number) => operator.submit(`${page}/${id}`, `${page}/${id}/api_keys.revoke`)

describe('an API key with a name', () => {
  test('is stored as a hash, and opens the API beside the keys of the environment', async () => {
    const { secret, row } = await make()
    expect(secret).toMatch(/^ymk_[\w-]{43}$/)
    const rows = await stored()
    expect(JSON.stringify(rows) + rows[0].hash.toString('latin1')).not.toContain(secret.slice(8))
    const api = client(app.url, secret)
    expect((await api.get('/sessions')).status).toBe(200)
    expect((await api.post('/categories', { name: 'Made by CI' })).status).toBe(201)
    expect(row).toMatchObject({ label: 'CI', scope: 'full', beginning: secret.slice(0, 8), last_used_at: null })
  })

  test('with the scope read reads everything, and is refused with 403 whatever it would change', async () => {
    const { secret } = await make({ scope: 'read' })
    const api = client(app.url, secret)
    for (const path of ['/sessions', '/sessions/search?q=any', '/categories', '/costs', '/settings'])
      expect([path, (await api.get(path)).status]).toEqual([path, 200])
    const refused = [
      await api.post('/categories', { name: 'No' }),
      await api.post('/sessions', {}),
      await api.patch('/settings', { spot_max_concurrent_sessions: 3 }),
      await api.delete('/sessions/1'),
      await api.post('/sessions/1/archive'),
    ]
    for (const answer of refused) expectProblem(answer, 403, 'Forbidden', 'This key may only read')
    // They show the code by which someone signs in.
    for (const path of ['/login_attempts', '/login_attempts/1'])
      expectProblem(await api.get(path), 403, 'Forbidden', 'Reading this needs a key with the scope full')
    expect((await api.get('/no_such_thing')).status).toBe(404)
    expect((await api.post('/no_such_thing')).status).toBe(404)
  })

  test('with the scope read is offered only tools that read, and can call no other', async () => {
    const { secret } = await make({ scope: 'read' })
    const reading = mcpClient(app, { key: secret })
    const names = (await reading.tools()).map(({ name }) => name)
    expect(names).toContain('get_session')
    expect((await mcpClient(app).tools()).length).toBeGreaterThan(names.length)
    for (const name of ['start_session', 'action_session']) {
      expect(names).not.toContain(name)
      expect(await reading.call(name, {})).toMatchObject({ isError: true, text: `Unknown tool: ${name}` })
    }
  })

  test('with the scope read signs a browser in that reads, says its name, and changes nothing', async () => {
    const { secret } = await make({ scope: 'read' })
    const browser = dashboardBrowser(app)
    const { body } = await browser.post('/web/session', { key: secret })
    expect(body.session).toMatchObject({ read_only: true })
    expect((await browser.get('/web/v1/sessions')).status).toBe(200)
    expectProblem(await browser.post('/web/v1/categories', { name: 'No' }), 403, 'Forbidden', 'This key may only read')
    expect((await browser.call('PATCH', '/web/session', { body: { name: 'Ada' } })).status).toBe(200)
    expect((await browser.call('DELETE', '/web/session')).status).toBe(204)
  })

  test.each(['revoked', 'expired'])('that is %s is refused like an unknown one, everywhere', async (how) => {
    const { secret, row } = await make()
    const browser = dashboardBrowser(app)
    await browser.post('/web/session', { key: secret })
    expect((await browser.get('/web/session')).status).toBe(200)
    if (how === 'revoked') await revoke(row.id)
    else await app.pool.query(`update api_keys set expires_at = now() - interval '1 second'`)
    const answer = await client(app.url, secret).get('/sessions')
    expectProblem(answer, 401, 'Unauthorized', 'Invalid or missing API key')
    expect((await mcpClient(app, { key: secret }).post('{}')).status).toBe(401)
    expect((await browser.get('/web/session')).status).toBe(401)
    expect((await dashboardBrowser(app).post('/web/session', { key: secret })).status).toBe(401)
  })

  test.each(['revoked', 'expired'])(
    'that is %s ends its open event streams, and those of browsers that signed in with it',
    async (how) => {
      const { secret, row } = await make({ scope: 'read' })
      const { secret: other } = await make({ label: 'Another' })
      const browser = dashboardBrowser(app)
      await browser.post('/web/session', { key: secret })
      const streams = await Promise.all([
        app.send('/api/v1/events', { headers: { 'x-api-key': secret } }),
        app.send(browser.at('/web/v1/events'), { headers: { cookie: browser.cookie } }),
        app.send('/api/v1/events', { headers: { 'x-api-key': secret } }),
      ])
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
      const kept = await Promise.all(
        [other, testKey].map((key) => app.send('/api/v1/events', { headers: { 'x-api-key': key } })),
      )
      const ended = kept.map(({ body }) => untilEnd(body).then(() => 'ended'))
      if (how === 'revoked') await revoke(row.id)
      // No signal tells of an expiry: the server looks by itself.
      else await app.pool.query('update api_keys set expires_at = now() where id = $1', [row.id])
      for (const { body } of streams) await untilEnd(body)
      expect(await Promise.race([...ended, Promise.resolve('open')])).toBe('open')
    },
  )

  test('notes when it was last used, at most once a minute', async () => {
    const { secret } = await make()
    const api = client(app.url, secret)
    await api.get('/categories')
    const [{ last_used_at: first }] = await eventually(stored, ([row]) => row.last_used_at !== null)
    await api.get('/categories')
    expect((await stored())[0].last_used_at).toEqual(first)
    await app.pool.query(`update api_keys set last_used_at = now() - interval '2 minutes'`)
    await api.get('/categories')
    await eventually(stored, ([row]) => row.last_used_at >= first)
  })

  test('is removed from what agents print', async () => {
    const { secret } = await make()
    expect(await app.host.app.redactor.text(`the key is ${secret}.`)).toBe('the key is [REDACTED:API_KEY].')
  })

  test('is not accepted in the address', async () => {
    const { secret } = await make()
    expect((await app.send(`/api/v1/sessions?api_key=${secret}&x-api-key=${secret}`)).status).toBe(401)
  })
})

describe('/supervisor/api_keys', () => {
  test('the operator makes a key, whose secret is shown once and works', async () => {
    const made = await operator.submit(page, page, { label: 'Grafana', scope: 'read', expires: '90d' })
    expect(made.status).toBe(200)
    const [secret = ''] = /ymk_[\w-]{43}/.exec(made.text) ?? []
    expect((await client(app.url, secret).get('/sessions')).status).toBe(200)
    expect(await stored()).toMatchObject([{ label: 'Grafana', scope: 'read', made_by: 'operator' }])
    expect((await stored())[0].expires_at.getTime()).toBeGreaterThan(Date.now() + 89 * 86_400_000)
    const list = await operator.visit(page)
    expect(list.text).toContain('Grafana')
    expect(list.text).not.toContain(secret)
  })

  test('a second key of the same name, a blank name and a past expiry are refused', async () => {
    await make({ label: 'Grafana' })
    const same = await operator.submit(page, page, { label: 'Grafana', scope: 'read' })
    expect([same.status, same.text]).toEqual([422, expect.stringContaining('Label is that of another key')])
    const past = await operator.submit(page, page, { label: 'Other', scope: 'read', expires: '2020-01-01' })
    expect([past.status, past.text]).toEqual([422, expect.stringContaining('Expires must be in the future')])
    expect((await operator.submit(page, page, { label: ' ', scope: 'read' })).status).toBe(422)
    expect(await stored()).toHaveLength(1)
  })

  test('the name of a revoked key can be given again', async () => {
    const { row } = await make()
    await revokeApiKey(app.host.app.db, row.id, new Date())
    await make()
    expect(await stored()).toHaveLength(2)
  })
})

describe('npm run api-key', () => {
  const ask = (asked: Partial<Parameters<typeof commandAnswer>[1]>) =>
    commandAnswer(app.host.app.db, { verb: undefined, id: undefined, ...asked })

  test('makes a key that works, lists it without its secret, and revokes it', async () => {
    const text = await ask({ verb: 'create', name: 'CI', scope: 'read', expires: '2099-01-31' })
    const [, id = '', secret = ''] = /^Key (\d+)\. It is shown only now:\n(ymk_[\w-]{43})$/.exec(text) ?? []
    expect((await client(app.url, secret).get('/sessions')).status).toBe(200)
    const list = await ask({ verb: 'list' })
    expect(list.split('\t')).toEqual([
      id,
      'read',
      `${secret.slice(0, 8)}…`,
      'until 2099-01-31',
      expect.any(String),
      'CI',
    ])
    expect(await ask({ verb: 'revoke', id })).toBe(`Key ${id} (CI) is revoked.`)
    expect((await client(app.url, secret).get('/sessions')).status).toBe(401)
    expect(await ask({ verb: 'list' })).toContain('\trevoked\t')
  })

  test.each([
    [{ verb: 'create', name: 'CI', scope: 'all' }, 'Scope'],
    [{ verb: 'create', scope: 'read' }, 'A new key needs --name and --scope.'],
    [{ verb: 'create', name: ' ', scope: 'read' }, 'A new key needs --name and --scope.'],
    [{ verb: 'create', name: 'CI' }, 'A new key needs --name and --scope.'],
    [{ verb: 'create', name: 'CI', scope: 'read', expires: 'soon' }, 'Expires must be a date such as 2027-01-31'],
    [{ verb: 'revoke', id: '0' }, 'npm run api-key -- revoke ID'],
    [{ verb: 'revoke', id: '999' }, 'There is no key 999. These are the keys: npm run api-key -- list'],
    [{}, 'npm run api-key -- create'],
  ])('refuses %j with what is wrong', async (asked, sentence) => {
    await expect(ask(asked)).rejects.toThrow(sentence)
    expect(await stored()).toEqual([])
  })
})

test('an expiry is a day, a time with its zone, or a number of days', () => {
  const now = new Date('2026-01-01T12:00:00Z')
  expect(readExpiry('2026-01-02', now)).toEqual(new Date('2026-01-02T00:00:00Z'))
  expect(readExpiry('2026-01-02T10:00:00+02:00', now)).toEqual(new Date('2026-01-02T08:00:00Z'))
  expect(readExpiry('2d', now)).toEqual(new Date('2026-01-03T12:00:00Z'))
  for (const text of ['2026-02-30x', 'tomorrow', '0d', '2026-01-01', '-1d', '2026-13-01'])
    expect(() => readExpiry(text, now)).toThrow('Expires')
})

/** Returns when the server has ended the stream, in order or not. */
async function untilEnd(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  for (let isOpen = true; isOpen; ) {
    isOpen = await (reader?.read() ?? Promise.reject()).then(
      ({ done }) => !done,
      () => false,
    )
  }
}
