import { describe, expect, test } from 'vitest'
import { note } from '../../../src/domain/logs/log.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const path = (session: number | string, rest: string | number = '') =>
  `/sessions/${session}/logs${rest === '' || String(rest).startsWith('?') ? rest : `/${rest}`}`

async function written(session: number, content: string, level = 'info'): Promise<number> {
  const { status, body } = await app.post(path(session), { content, level })
  expect(status).toBe(201)
  return body.log.id
}

/** A line written by the service. */
async function serviceLine(session: number, content = 'The agent started.'): Promise<number> {
  await transact(app.host.app.db, (tx) => note(app.host.app, tx, session, content, 'warning'))
  return (await app.get(path(session))).body.logs[0].id
}

const contents = async (at: string): Promise<string[]> =>
  (await app.get(at)).body.logs.map(({ content }: { content: string }) => content)

describe('a log line that a caller adds', () => {
  test('a log line that a caller adds is answered with 201 and can be read', async () => {
    const id = await insertSession(app.pool, { slug: 'with-a-log' })
    const { status, body } = await app.post(path('with-a-log'), { content: ' Looked at it. ', level: 'verbose' })
    expect(status).toBe(201)
    expect(body).toEqual({
      log: {
        id: expect.any(Number),
        session_id: id,
        content: ' Looked at it. ',
        level: 'verbose',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updated_at: body.log.created_at,
      },
    })
    expect(await app.get(path(id, body.log.id))).toMatchObject({ status: 200, body })
  })

  test('a log line that a caller adds is redacted when it is created and when it is changed', async () => {
    const id = await insertSession(app.pool)
    const line = await written(id, `the key is ${testKey}-and ghp_${'a1B2'.repeat(9)}`)
    const { body } = await app.patch(path(id, line), { content: `now npm_${'Zx9'.repeat(12)}` })
    expect(body.log.content).toMatch(/^now \[REDACTED:/)
    expect((await app.get(path(id, await written(id, `ghp_${'a1B2'.repeat(9)}`)))).body.log.content).toMatch(
      /^\[REDACTED:/,
    )
  })

  test('a log line that a caller adds can be changed field by field, and deleted', async () => {
    const id = await insertSession(app.pool)
    const line = await written(id, 'one')
    expect((await app.patch(path(id, line), { content: 'two' })).body.log).toMatchObject({
      content: 'two',
      level: 'info',
    })
    expect((await app.patch(path(id, line), { level: 'error', origin: 'service', id: 1 })).body.log).toMatchObject({
      id: line,
      content: 'two',
      level: 'error',
    })
    expect((await app.patch(path(id, line), {})).status).toBe(200)
    expect(await app.delete(path(id, line))).toMatchObject({ status: 204, body: '' })
    expectProblem(await app.get(path(id, line)), 404, 'Not Found', 'The requested resource was not found')
  })

  test.each([
    [{ level: 'info' }, "Content can't be blank"],
    [{ content: '  ', level: 'info' }, "Content can't be blank"],
    [{ content: 7, level: 'info' }, 'Content must be a string'],
    [{ content: 'x' }, 'Level is not a valid log level'],
    [{ content: 'x', level: null }, 'Level is not a valid log level'],
    [{ content: 'x', level: 'loud' }, 'Level loud is not a valid log level'],
    [{ content: 'x', level: 'INFO' }, 'Level INFO is not a valid log level'],
  ])('the log line %j is refused with 422: %s', async (body, message) => {
    const id = await insertSession(app.pool)
    const answer = await changesNothing(app.pool, () => app.post(path(id), body))
    expectProblem(answer, 422, 'Validation failed', message)
  })

  test('a log line that a caller adds is not changed by an invalid PATCH', async () => {
    const id = await insertSession(app.pool)
    const line = await written(id, 'stays')
    const answer = await changesNothing(app.pool, () => app.patch(path(id, line), { content: '', level: 'loud' }))
    expectProblem(answer, 422, 'Validation failed', "Content can't be blank", 'Level loud is not a valid log level')
  })
})

describe('a log line that the service wrote', () => {
  test('a log line that the service wrote has the same keys, and refuses PATCH and DELETE with 409', async () => {
    const id = await insertSession(app.pool)
    const line = await serviceLine(id)
    const { log } = (await app.get(path(id, line))).body
    expect(Object.keys(log)).toEqual(['id', 'session_id', 'level', 'content', 'created_at', 'updated_at'])
    const sentence = 'The line was written by the service and can be neither changed nor deleted'
    const answers = await changesNothing(app.pool, async () => [
      await app.patch(path(id, line), { content: 'it was different' }),
      await app.delete(path(id, line)),
    ])
    for (const answer of answers) expectProblem(answer, 409, 'Conflict', sentence)
  })
})

describe('the list of log lines', () => {
  test('GET /sessions/:id/logs lists log lines newest first, in pages', async () => {
    const id = await insertSession(app.pool)
    for (const content of ['one', 'two', 'three']) await written(id, content)
    expect(await contents(path(id))).toEqual(['three', 'two', 'one'])
    const { body } = await app.get(path(id, '?page=2&per_page=2'))
    expect(body.logs).toMatchObject([{ content: 'one' }])
    expect(body.pagination).toEqual({ page: 2, per_page: 2, total_count: 3, total_pages: 2 })
  })

  test('the list of log lines is filtered by exact level; an unknown level gives an empty list', async () => {
    const id = await insertSession(app.pool)
    await written(id, 'fine')
    await written(id, 'bad', 'error')
    expect(await contents(path(id, '?level=error'))).toEqual(['bad'])
    expect(await contents(path(id, '?level='))).toEqual(['bad', 'fine'])
    expect(await contents(path(id, '?level=Error'))).toEqual([])
    expect(await contents(path(id, '?level=err'))).toEqual([])
  })
})

test('a log line of another session, or of an unknown session, answers 404', async () => {
  const id = await insertSession(app.pool)
  const other = await insertSession(app.pool)
  const line = await written(other, 'not yours')
  const answers = await changesNothing(app.pool, async () => [
    await app.get(path(id, line)),
    await app.patch(path(id, line), { content: 'mine' }),
    await app.delete(path(id, line)),
    await app.get(path(id, 'x')),
    await app.get(path(0)),
    await app.post(path('no-such-session'), { content: 'x', level: 'info' }),
  ])
  for (const answer of answers) expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
})

test('the list answers 401 without an API key', async () => {
  const id = await insertSession(app.pool)
  expect((await app.send(`/api/v1${path(id)}`)).status).toBe(401)
})
