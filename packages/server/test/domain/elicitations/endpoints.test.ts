import { randomUUID } from 'node:crypto'
import { limits } from '@yardmaster/contract/limits'
import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { asker, askPath, question } from '../../support/sessions/asking.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { raise, poll, running, asked, respond, rowOf } = asker(app)
const badToken = `yme_${'a'.repeat(43)}`

describe('POST /elicitations/session/:token', () => {
  test('POST /elicitations/session/:token stores the question and answers 201 with the poll url in the namespace of the asker', async () => {
    const { id, token } = await running()
    const requestId = randomUUID()
    const answer = await raise(token, {
      mode: 'form',
      message: 'Send this mail to billing@acme.test?',
      requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
      _meta: {
        'com.acme/request-id': requestId,
        'com.acme/session-id': String(id),
        'com.acme/tool-name': 'send_mail',
        'com.acme/context': 'Customer asked for a refund',
      },
    })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        action: 'pending',
        _meta: {
          'com.acme/request-id': requestId,
          'com.acme/poll-url': `${app.url}${askPath}/session/${token}/${requestId}`,
        },
      },
    })
    expect(Object.keys(answer.body)).toEqual(['action', '_meta'])
    const { body } = await app.get(`/elicitations?session_id=${id}`)
    expect(body.elicitations).toMatchObject([
      {
        request_id: requestId,
        session_id: id,
        status: 'pending',
        mode: 'form',
        message: 'Send this mail to billing@acme.test?',
        requested_schema: { properties: { confirm: { type: 'boolean' } } },
        tool_name: 'send_mail',
        context: 'Customer asked for a refund',
        mcp_session_id: String(id),
        asked_by: 'mcp_server',
        content: null,
        responded_at: null,
      },
    ])
  })

  test.each([
    ['unknown', badToken],
    ['of another form', '9021-abc'],
  ])('POST /elicitations/session/:token answers 401 for a token that is %s, and changes nothing', async (_, token) => {
    const answer = await changesNothing(app.pool, () => raise(token, question('one')))
    expectProblem(answer, 401, 'Unauthorized', 'The URL belongs to no session')
  })

  test('POST /elicitations/session/:token answers 401 for a bad token even with a valid API key', async () => {
    expectProblem(await app.post(`/elicitations/session/${badToken}`, question('one')), 401, 'Unauthorized')
  })

  test('POST /elicitations/session/:token answers 401 before it looks at the body', async () => {
    const response = await app.send(`${askPath}/session/${badToken}`, { method: 'POST', body: 'not json' })
    expect(response.status).toBe(401)
  })

  test('POST /elicitations/session/:token answers 403 for a question about another session, and changes nothing', async () => {
    const { token } = await running()
    const other = await running({ slug: 'another-one' })
    for (const named of [String(other.id), 'another-one', '999999', 'no-such-session']) {
      const body = question('one', { meta: { 'com.acme/session-id': named } })
      expectProblem(await changesNothing(app.pool, () => raise(token, body)), 403, 'Forbidden')
    }
  })

  test('POST /elicitations/session/:token accepts a blank session id, the id and the slug', async () => {
    const { id, token } = await running({ slug: 'the-asking-one' })
    for (const named of ['', '  ', String(id), id, 'the-asking-one'])
      expect((await raise(token, question(randomUUID(), { meta: { 'com.acme/session-id': named } }))).status).toBe(201)
  })

  test.each([
    ['no request id', { message: 'x', _meta: {} }, 'Missing parameter', "Request id can't be blank"],
    ['a blank request id', question(' '), 'Missing parameter', "Request id can't be blank"],
    ['no _meta', { message: 'x' }, 'Missing parameter', "Request id can't be blank"],
    ['no message', { _meta: { 'com.acme/request-id': 'r' } }, 'Missing parameter', "Message can't be blank"],
    ['a blank message', question('r', { message: ' ' }), 'Missing parameter', "Message can't be blank"],
    ['another mode', question('r', { mode: 'url' }), 'Unprocessable Entity', 'Mode must be form'],
    ['a message that is no text', question('r', { message: 7 }), 'Validation failed', 'Message must be a string'],
    [
      'a message that is too long',
      question('r', { message: 'x'.repeat(limits.elicitation.message + 1) }),
      'Validation failed',
      `Message is too long (maximum is ${limits.elicitation.message} characters)`,
    ],
    [
      'a request id that is too long',
      question('r'.repeat(256)),
      'Validation failed',
      'Request is too long (maximum is 255 characters)',
    ],
    [
      'a request id of 128 characters that are two units each',
      question('\u{1f600}'.repeat(128)),
      'Validation failed',
      'Request is too long (maximum is 255 characters)',
    ],
    ['a request id that is a path', question('..'), 'Validation failed', 'Request must not be a relative path'],
    ['a request id of digits', question('58'), 'Validation failed', 'Request must not consist of digits only'],
    [
      'a schema that is no object',
      question('r', { requestedSchema: ['x'] }),
      'Validation failed',
      'Requested schema must be an object',
    ],
    [
      'a schema that is too large',
      question('r', { requestedSchema: { title: 'x'.repeat(limits.elicitation.objectCharacters) } }),
      'Validation failed',
      `Requested schema is too large (maximum is ${limits.elicitation.objectCharacters} characters of JSON)`,
    ],
  ])('POST /elicitations/session/:token rejects %s with 422 and changes nothing', async (_, body, error, message) => {
    const { token } = await running()
    expectProblem(await changesNothing(app.pool, () => raise(token, body)), 422, error, message)
  })

  test('POST /elicitations/session/:token rejects a request id that is taken, also by another session, with 422', async () => {
    const [one, other] = [await running(), await running()]
    const requestId = await asked(one.token)
    for (const { token } of [one, other]) {
      const answer = await changesNothing(app.pool, () => raise(token, question(requestId)))
      expectProblem(answer, 422, 'Unprocessable Entity', 'Request has already been taken')
    }
  })

  test('POST /elicitations/session/:token rejects a body over the limit with 413', async () => {
    const { token } = await running()
    const answer = await raise(token, question('r', { message: 'x'.repeat(limits.elicitation.bodyBytes) }))
    expectProblem(answer, 413, 'Body too large')
  })

  test('POST /elicitations/session/:token rejects more than 100 pending questions of a session with 422', async () => {
    const { id, token, marker } = await running()
    await app.pool.query(
      `insert into elicitations (session_id, request_id, namespace, asked_by, run_marker, message, expires_at)
       select $1, 'many-' || n, 'com.acme', 'mcp_server', $2, 'x', now() + interval '1 hour' from generate_series(1, 100) n`,
      [id, marker],
    )
    expectProblem(await raise(token, question('one-more')), 422, 'Unprocessable Entity')
  })

  test.each([
    ['nothing', undefined, 60],
    ['a text that is no time', 'soon', 60],
    ['half an hour', 30, 30],
    ['a second', 1 / 60, 1],
    ['a month', 30 * 24 * 60, 7 * 24 * 60],
    ['the past', -60, 1],
  ])('a question whose asker wishes %s expires within the bounds of the service', async (_, wish, minutes) => {
    const { token } = await running()
    const text = typeof wish === 'number' ? new Date(Date.now() + wish * 60_000).toISOString() : wish
    const requestId = await asked(token, { meta: { 'com.acme/expires-at': text } })
    const { created_at, expires_at } = await rowOf(requestId)
    expect(Math.round((expires_at - created_at) / 60_000)).toBe(minutes)
  })
})

describe('GET /elicitations/session/:token/:request_id', () => {
  test('GET /elicitations/session/:token/:request_id answers pending, then the answer, without a key', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    const waiting = { action: 'pending', content: null, _meta: { 'com.acme/request-id': requestId } }
    for (const _ of [1, 2, 3]) expect((await poll(token, requestId)).body).toEqual(waiting)

    expect((await respond(requestId, 'accept', { confirm: true })).status).toBe(200)
    const answer = await poll(token, requestId)
    expect(answer).toMatchObject({
      status: 200,
      body: { action: 'accept', content: { confirm: true }, _meta: { 'com.acme/request-id': requestId } },
    })
    expect(answer.body._meta['com.acme/responded-at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect((await rowOf(requestId)).delivered_at).not.toBeNull()
  })

  test('GET /elicitations/session/:token/:request_id answers 200 with expired, never an error, past expires_at', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    await poll(token, requestId)
    await app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where request_id = $1`, [
      requestId,
    ])
    app.host.app.questions.forget(id)
    expect(await poll(token, requestId)).toMatchObject({ status: 200, body: { action: 'expired', content: null } })
    expect(await rowOf(requestId)).toMatchObject({ status: 'expired', lost_reason: 'expired' })
  })

  test('GET /elicitations/session/:token/:request_id answers 401 for a bad token', async () => {
    const { token } = await running()
    expectProblem(await poll(badToken, await asked(token)), 401, 'Unauthorized')
  })

  test('GET /elicitations/session/:token/:request_id answers 404 alike for an unknown question, one of another session and a numeric id', async () => {
    const [one, other] = [await running(), await running()]
    const requestId = await asked(other.token)
    const { id } = await rowOf(requestId)
    const answers = await Promise.all([
      poll(one.token, requestId),
      poll(one.token, 'none'),
      poll(one.token, String(id)),
    ])
    for (const answer of answers) expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
  })

  test('GET /elicitations/session/:token/:request_id finds a request id of any characters', async () => {
    const { token } = await running()
    const requestId = 'ä/ ?#%2F'.repeat(10)
    expect((await raise(token, question(requestId))).status).toBe(201)
    expect(await poll(token, requestId)).toMatchObject({ status: 200, body: { action: 'pending' } })
  })
})

describe('POST /elicitations', () => {
  test('POST /elicitations asks in the name of the session that _meta names by id or slug', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input', slug: 'ask-by-key' })
    for (const named of [String(id), id, 'ask-by-key']) {
      const requestId = randomUUID()
      const answer = await app.post('/elicitations', question(requestId, { meta: { 'com.acme/session-id': named } }))
      expect(answer).toMatchObject({
        status: 201,
        body: { action: 'pending', _meta: { 'com.acme/poll-url': `${app.url}${askPath}/${requestId}` } },
      })
      expect(await rowOf(requestId)).toMatchObject({ asked_by: 'api', run_marker: null })
    }
  })

  test('POST /elicitations answers 401 without a key', async () => {
    const response = await app.send(askPath, { method: 'POST', body: '{}' })
    expect(response.status).toBe(401)
  })

  test.each([undefined, '', '999999', 'no-such-session'])(
    'POST /elicitations answers 404 for the session %j and changes nothing',
    async (named) => {
      const body = question('one', { meta: { 'com.acme/session-id': named } })
      expectProblem(await changesNothing(app.pool, () => app.post('/elicitations', body)), 404, 'Session not found')
    },
  )

  test('POST /elicitations rejects a missing message, a taken request id and an archived session with 422', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const archived = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
    const about = (named: number) => ({ meta: { 'com.acme/session-id': named } })
    const requestId = randomUUID()
    await app.post('/elicitations', question(requestId, about(id)))
    expectProblem(
      await app.post('/elicitations', question('r', { ...about(id), message: '' })),
      422,
      'Missing parameter',
    )
    const taken = await changesNothing(app.pool, () => app.post('/elicitations', question(requestId, about(id))))
    expectProblem(taken, 422, 'Unprocessable Entity', 'Request has already been taken')
    expectProblem(await app.post('/elicitations', question('r', about(archived))), 422, 'Unprocessable Entity')
  })
})

describe('GET /elicitations/:request_id', () => {
  test('GET /elicitations/:request_id polls any question with a key, by its request id only', async () => {
    const { token } = await running()
    const requestId = await asked(token)
    expect((await app.get(`/elicitations/${requestId}`)).body).toEqual({
      action: 'pending',
      content: null,
      _meta: { 'com.acme/request-id': requestId },
    })
    expectProblem(await app.get(`/elicitations/${(await rowOf(requestId)).id}`), 404, 'Not Found')
    expect((await app.send(`${askPath}/${requestId}`)).status).toBe(401)
  })
})

describe('GET /elicitations', () => {
  test('GET /elicitations filters by session and status, the newest first, and an unknown value matches nothing', async () => {
    const { id, token } = await running({ slug: 'with-questions' })
    const [first, second] = [await asked(token), await asked(token)]
    await respond(first, 'decline')
    const list = async (query: string) =>
      (await app.get(`/elicitations?${query}`)).body.elicitations.map(
        ({ request_id }: { request_id: string }) => request_id,
      )
    expect(await list(`session_id=${id}`)).toEqual([second, first])
    expect(await list('session_id=with-questions&status=pending')).toEqual([second])
    expect(await list(`session_id=${id}&status=decline`)).toEqual([first])
    expect(await list(`session_id=${id}&status=never`)).toEqual([])
    expect(await list('session_id=999999')).toEqual([])
    expect((await app.get(`/elicitations?session_id=${id}&per_page=1&page=2`)).body).toMatchObject({
      elicitations: [{ request_id: first }],
      pagination: { total_count: 2 },
    })
    expect((await app.send(askPath)).status).toBe(401)
  })

  test('GET /elicitations shows no pending question past its time', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    await app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where request_id = $1`, [
      requestId,
    ])
    expect((await app.get(`/elicitations?session_id=${id}&status=pending`)).body.elicitations).toEqual([])
  })
})

test('expires-at is read as ISO 8601 with an offset only; anything else counts as absent', async () => {
  const { token } = await running()
  const hour = 3_600_000
  for (const [text, ms] of [
    [new Date(Date.now() + 2 * hour).toISOString(), 2 * hour],
    ['-200000-01-01T00:00:00Z', hour],
    ['+200000-01-01T00:00:00Z', hour],
    ['9999-12-31T23:59:59Z', 7 * 24 * hour],
    ['0001-01-01T00:00:00Z', 60_000],
    ['tomorrow 2099', hour],
    ['2099', hour],
    ['1', hour],
  ] as const) {
    const { expires_at, created_at } = await rowOf(await asked(token, { meta: { 'com.acme/expires-at': text } }))
    expect([text, Math.round((expires_at - created_at) / 60_000)]).toEqual([text, Math.round(ms / 60_000)])
  }
})

test('a network that guesses tokens is answered 429 after twenty, and a right token is still accepted', async () => {
  const { token } = await running()
  const requestId = await asked(token)
  const statuses: number[] = []
  for (let n = 0; n < 45; n += 1) statuses.push((await poll(`yme_${String(n).padStart(43, 'g')}`, requestId)).status)
  expect(statuses.slice(-20)).toEqual(Array(20).fill(429))
  app.host.app.questions.forget((await rowOf(requestId)).session_id)
  expect((await poll(token, requestId)).status).toBe(200)
})

test('GET /elicitations lists no question as pending whose time is up, however many there are', async () => {
  const { id, marker } = await running()
  await app.pool.query(
    `insert into elicitations (session_id, request_id, namespace, asked_by, run_marker, message, expires_at)
     select $1, 'due-' || n, 'com.acme', 'mcp_server', $2, 'x', now() - interval '1 s' from generate_series(1, 250) n`,
    [id, marker],
  )
  const count = async (status: string) =>
    (await app.get(`/elicitations?session_id=${id}&status=${status}`)).body.pagination.total_count
  const [{ status }] = (await app.get(`/elicitations?session_id=${id}&per_page=1`)).body.elicitations
  expect([status, await count('pending'), await count('expired')]).toEqual(['expired', 0, 250])
})
