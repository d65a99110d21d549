import { describe, expect, test } from 'vitest'
import { type Answer, expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { requestHead, sendRaw } from '../../support/http/raw-http.ts'

const app = testApp({ environment: { ROLE: 'web' } })

async function postBody(
  path: string,
  body: string | Buffer | undefined,
  contentType = 'application/json',
): Promise<Answer> {
  const response = await app.send(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': testKey, 'content-type': contentType },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** A value nested in `depth` levels, the surrounding object included. */
function nested(depth: number): string {
  return `{"name":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}

describe('an empty body', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'an empty body under %s is an empty object',
    async (contentType) => {
      for (const body of [undefined, '', ' \r\n\t']) {
        expectProblem(await postBody('/categories', body, contentType), 422, 'Validation failed', "Name can't be blank")
      }
    },
  )

  test('an empty body may have no content type, a length of zero, or zero chunks', async () => {
    for (const headers of [
      [],
      ['Content-Length: 0'],
      ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    ]) {
      const body = headers.includes('Transfer-Encoding: chunked') ? '0\r\n\r\n' : ''
      const head = requestHead('POST /api/v1/categories', [`X-API-Key: ${testKey}`, ...headers])
      const answer = await sendRaw(app.url, head + body)
      expect([headers, answer.status, answer.body.messages]).toEqual([headers, 422, ["Name can't be blank"]])
    }
  })

  test('an empty body of a DELETE with a JSON content type is ignored', async () => {
    const { body } = await app.post('/categories', { name: 'Short-lived' })
    const response = await app.send(`/api/v1/categories/${body.category.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
    })
    expect(response.status).toBe(204)
  })
})

describe('422 Invalid JSON', () => {
  const cases: [string, string | Buffer, string][] = [
    ['half an object', '{"name":', 'The body is not valid JSON'],
    ['a trailing comma', '{"name":"a",}', 'The body is not valid JSON'],
    ['two objects', '{}{}', 'The body is not valid JSON'],
    ['a list', '[]', 'The body must be a JSON object'],
    ['a text', '"name"', 'The body must be a JSON object'],
    ['null', 'null', 'The body must be a JSON object'],
    ['a number', '1', 'The body must be a JSON object'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'The body is not valid UTF-8'],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'The body is not valid UTF-8'],
    ['a NUL in a value', '{"name":"a\\u0000b"}', 'The body holds a NUL character'],
    ['a NUL in a key', '{"a\\u0000b":1}', 'The body holds a NUL character'],
    ['a nested NUL', '{"x":[{"y":["\\u0000"]}]}', 'The body holds a NUL character'],
    ['a bare NUL', '{"name":"a\0b"}', 'The body is not valid JSON'],
    ['a high surrogate alone', '{"name":"\\ud800"}', 'The body holds half of a surrogate pair'],
    ['a low surrogate alone', '{"name":"\\udc00x"}', 'The body holds half of a surrogate pair'],
    ['surrogates the wrong way round', '{"name":"\\udc00\\ud800"}', 'The body holds half of a surrogate pair'],
    ['a lone surrogate in a key', '{"\\ud800":1}', 'The body holds half of a surrogate pair'],
    ['a number out of range', '{"name":1e999}', 'The body holds a number out of range'],
    ['lists 73 deep', nested(73), 'The body is nested more than 72 levels deep'],
    ['objects 73 deep', `${'{"a":'.repeat(73)}1${'}'.repeat(73)}`, 'The body is nested more than 72 levels deep'],
    ['two million empty objects', `{"x":[${'{},'.repeat(2_000_000)}{}]}`, 'The body holds more than 200000 values'],
    [
      'large integers among them',
      `{"n":${'9'.repeat(20)},"x":[${'{},'.repeat(2e6)}{}]}`,
      'The body holds more than 200000 values',
    ],
    ['two million closed lists', `{"x":${']'.repeat(2_000_000)}`, 'The body holds more than 200000 values'],
    ['two million empty texts', `{"x":${'""'.repeat(2_000_000)}`, 'The body holds more than 200000 values'],
    ['a million open lists', '['.repeat(1_000_000), 'The body is nested more than 72 levels deep'],
  ]

  test.each(cases)('the server rejects the body as invalid JSON with 422: %s', async (_name, body, sentence) => {
    expectProblem(await postBody('/categories', body), 422, 'Invalid JSON', sentence)
  })
})

describe('an accepted body', () => {
  test('an accepted body may have 72 levels; brackets in a string do not count', async () => {
    expectProblem(await postBody('/categories', nested(72)), 422, 'Validation failed', 'Name must be a string')
    const name = `${'[{'.repeat(40)}"\\`
    const created = await app.post('/categories', { name })
    expect(created.body.category.name).toBe(name)
  })

  test('an accepted body may contain a surrogate pair and a byte order mark, and name a charset', async () => {
    const body = `\ufeff{"name":"\\ud83d\\ude80"}`
    const created = await postBody('/categories', body, 'application/json; charset=utf-8')
    expect([created.status, created.body.category.name]).toEqual([201, '\u{1f680}'])
  })
})

describe('422 Unsupported content type', () => {
  test.each([
    'text/plain',
    'text/json',
    'multipart/form-data; boundary=x',
    'application/vnd.api+json',
    'application/jsonp',
    'nonsense',
    ';;;',
  ])('the content type %s is refused with 422', async (contentType) => {
    expectProblem(
      await postBody('/categories', '{"name":"a"}', contentType),
      422,
      'Unsupported content type',
      'Send the body as application/json',
    )
  })

  test('a body without a content type is refused', async () => {
    const head = requestHead('POST /api/v1/categories', [`X-API-Key: ${testKey}`, 'Content-Length: 14'])
    const answer = await sendRaw(app.url, `${head}{"name":"none"}`)
    expect([answer.status, answer.body.error]).toEqual([422, 'Unsupported content type'])
  })

  test('JSON with a multipart content type is refused and changes nothing', async () => {
    const before = await app.get('/categories')
    await postBody('/categories', '{"name":"posing"}', 'multipart/form-data; boundary=x')
    expect((await app.get('/categories')).body).toEqual(before.body)
  })
})

describe('a form-encoded body', () => {
  const form = 'application/x-www-form-urlencoded'

  test('a form-encoded body is read as the JSON body with the same fields, each in its declared type', async () => {
    const created = await postBody(
      '/sessions',
      'git_root=%2Ftmp%2Fnone&title=Two+words+%C3%A9&precedence=7&is_autonomous=false',
      form,
    )
    expect([created.status, created.body.session]).toMatchObject([
      201,
      { title: 'Two words \u00e9', precedence: 7, is_autonomous: false },
    ])
    const { id } = created.body.session
    const heartbeat = await app.send(`/api/v1/sessions/${id}/heartbeat`, {
      method: 'PATCH',
      headers: { 'x-api-key': testKey, 'content-type': form },
      body: 'enabled=true&interval_seconds=45',
    })
    expect(await heartbeat.json()).toMatchObject({ heartbeat_enabled: true, heartbeat_interval_seconds: 45 })
    const archived = await postBody('/sessions/bulk_archive', `session_ids[]=${id}&force=1`, form)
    expect(archived.body).toEqual({ archived_count: 1, errors: [] })
  })

  test('a form-encoded body keeps digits as a text where the field is one', async () => {
    const created = await postBody('/categories', 'name=12345&description=', form)
    expect(created.body.category).toMatchObject({ name: '12345', description: null })
  })

  test('a form-encoded body of the wrong type is refused in the words of the field', async () => {
    const answer = await postBody('/sessions', 'git_root=%2Ftmp%2Fnone&precedence=high', form)
    expectProblem(answer, 422, 'Validation failed')
    expect(answer.body.message).toMatch(/^Precedence /)
  })

  test.each([
    ['config[model]=x', 'A form has flat fields only; send config[model] as JSON'],
    ['name=a&name=b', 'The form has name more than once'],
    ['name=%zz', 'The form is not valid: a percent sign must begin a character in UTF-8'],
    ['name=%ed%a0%80', 'The form is not valid: a percent sign must begin a character in UTF-8'],
    ['name=a%00b', 'The form holds a NUL character'],
  ])('the form-encoded body %s is refused', async (body, sentence) => {
    expectProblem(await postBody('/categories', body, form), 422, 'Invalid form', sentence)
  })

  test('a form-encoded body of a million fields is refused before they are read', async () => {
    for (const pair of ['a[]=&', '&', 'name&'])
      expectProblem(
        await postBody('/categories', pair.repeat(1_000_000), form),
        422,
        'Invalid form',
        'The form holds more than 200000 fields',
      )
  })

  test('a form-encoded body pollutes no prototype', async () => {
    await postBody('/categories', 'name=Proto&__proto__=polluted&constructor[]=polluted', form)
    expect('polluted' in {}).toBe(false)
  })
})

describe('keys that are special in JavaScript', () => {
  const special = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}'

  test('keys that are special in JavaScript are stored and returned as data and pollute no prototype', async () => {
    const created = await postBody(
      '/sessions',
      `{"git_root":"/tmp/none","custom_metadata":${special},"config":${special}}`,
    )
    expect(created.status).toBe(201)
    const { session } = (await app.get(`/sessions/${created.body.session.id}`)).body
    const sent = new Map(Object.entries(JSON.parse(special)))
    expect(new Map(Object.entries(session.custom_metadata))).toEqual(sent)
    expect(new Map(Object.entries(session.config))).toEqual(new Map([...sent, ['model', session.config.model]]))
    expect('polluted' in {}).toBe(false)
    expect('polluted' in Object).toBe(false)
  })

  test('keys that are special in JavaScript at the top of a body are ignored like any unknown key', async () => {
    const created = await postBody('/categories', '{"name":"Plain","__proto__":{"is_frozen":true},"constructor":1}')
    expect([created.status, created.body.category.is_frozen]).toEqual([201, false])
    const missing = await postBody('/categories', '{"__proto__":{"name":"inherited"}}')
    expectProblem(missing, 422, 'Validation failed', "Name can't be blank")
  })

  test('keys that are special in JavaScript in a query string are ignored like any unknown parameter', async () => {
    const answer = await app.get('/sessions?__proto__=1&constructor=2&__proto__[page]=3')
    expect([answer.status, answer.body.pagination.page]).toEqual([200, 1])
  })
})

describe('a NUL outside the body', () => {
  test('a NUL outside the body in a path is 404', async () => {
    for (const path of ['/sessions/a%00b', '/sessions/%00', '/sessions/a%00b/transcript', '/categories/%00']) {
      expectProblem(await app.get(path), 404, 'Not Found')
    }
  })

  test('a NUL outside the body in a known query parameter is refused by its name', async () => {
    for (const parameter of ['status', 'agent_runtime']) {
      const answer = await app.get(`/sessions?${parameter}=%00`)
      expect([answer.status, answer.body.error]).toEqual([422, 'Invalid parameter'])
    }
    expectProblem(await app.get('/events?session_id=a%00b'), 422, 'Invalid parameter')
  })

  test('a NUL outside the body in an unknown query parameter is ignored', async () => {
    expect((await app.get('/sessions?nothing=%00')).status).toBe(200)
    expect((await app.get('/categories?nothing=%00')).status).toBe(200)
  })
})
