import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { expectProblem, testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const secrets = ['select * from credentials', '/home/someone/private', 'hunter2', 'faults.test', 'node_modules', 'at ']

/** An error like those of a database driver, full of details that must not reach the caller. */
function errorWithDetails(): Error {
  return Object.assign(new Error('relation "credentials" does not exist: select * from credentials'), {
    code: '42P01',
    detail: '/home/someone/private',
    query: 'select * from credentials',
    parameters: ['hunter2'],
    statusCode: 418,
  })
}

function failing(path: string, fail: () => unknown) {
  return defineEndpoint({
    method: 'GET',
    path,
    tag: 'Test',
    summary: 'Fail',
    answers: { 200: z.object({}) },
    handle: async () => {
      throw fail()
    },
  })
}

describe('a fault', () => {
  test('a fault answers 500 with a sentence and a request id, and no detail of the error', async () => {
    const server = await kitServer([failing('/fault', errorWithDetails)])
    const answer = await server.get('/fault')
    const id = answer.headers.get('x-request-id')
    expectProblem(
      answer,
      500,
      'Internal Server Error',
      `Something went wrong on our side; the log has the details under request id ${id}`,
    )
    expect(Object.keys(answer.body)).toEqual(['error', 'message', 'messages'])
    for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret)
    expect(JSON.stringify([...answer.headers])).not.toContain('private')
  })

  test('a transaction that kept conflicting with others answers 503 with Retry-After', async () => {
    const conflict = () => Object.assign(new Error('deadlock detected'), { code: '40P01' })
    const server = await kitServer([failing('/conflict', conflict)])
    const answer = await server.get('/conflict')
    expectProblem(answer, 503, 'Service unavailable', 'Too many other changes are under way; try again shortly')
    expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after))
  })

  test('a fault writes one log record with the request id and the stack', async () => {
    const server = await kitServer([failing('/fault', errorWithDetails)], { logLevel: 'info' })
    const answer = await server.get('/fault')
    await server.close()
    expect(server.records()).toHaveLength(1)
    expect(server.records()[0]).toMatchObject({
      level: 50,
      request_id: answer.headers.get('x-request-id'),
      method: 'GET',
      route: '/api/v1/fault',
      err: { message: expect.stringContaining('credentials'), stack: expect.stringContaining('faults.test') },
    })
  })

  test('a fault is answered 500 whatever value was thrown', async () => {
    const thrown: Record<string, () => unknown> = {
      '/text': () => 'a text',
      '/null': () => null,
      '/undefined': () => undefined,
      '/object': () => ({ code: 'constructor', statusCode: 302 }),
      '/type-error': () => new TypeError('x is not a function'),
      '/circular': () => {
        const error: Error & { self?: Error } = new Error('circular')
        error.self = error
        return error
      },
    }
    const server = await kitServer(Object.entries(thrown).map(([path, fail]) => failing(path, fail)))
    for (const path of Object.keys(thrown)) {
      const answer = await server.get(path)
      expect([path, answer.status, Object.keys(answer.body)]).toEqual([path, 500, ['error', 'message', 'messages']])
      const faults = server.records().filter(({ level }) => level >= 50)
      expect([path, faults.at(-1)?.request_id]).toEqual([path, answer.headers.get('x-request-id')])
    }
  })

  test('a fault does not affect the next request, on the same connection or another', async () => {
    const fine = defineEndpoint({
      method: 'GET',
      path: '/fine',
      tag: 'Test',
      summary: 'Do nothing',
      answers: { 200: z.object({}) },
      handle: async () => ok({}),
    })
    const server = await kitServer([failing('/fault', errorWithDetails), fine])
    expect((await server.get('/fault')).status).toBe(500)
    expect((await server.get('/fine')).status).toBe(200)
  })

  test('a fault in a stream that has begun closes the connection and writes one log record', async () => {
    const breaking = defineEndpoint({
      method: 'GET',
      path: '/breaking',
      tag: 'Test',
      summary: 'Break in the middle',
      answers: { 200: 'text' },
      handle: async () =>
        ok(
          Readable.from(
            (async function* () {
              yield 'first half, '
              throw errorWithDetails()
            })(),
          ),
        ),
    })
    const server = await kitServer([breaking], { logLevel: 'info' })
    const text = server
      .send('/api/v1/breaking', { headers: { 'x-api-key': testKey } })
      .then((response) => response.text())
    await expect(text).rejects.toThrow()
    const records = await eventually(
      async () => server.records(),
      ({ length }) => length > 0,
    )
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({ level: 50, request_id: expect.stringMatching(/^[\da-f-]{36}$/) })
  })

  test('a fault is an answer that cannot be serialised as JSON', async () => {
    const endpoint = defineEndpoint({
      method: 'GET',
      path: '/bigint',
      tag: 'Test',
      summary: 'Answer what JSON cannot say',
      answers: { 200: z.object({ n: z.bigint() }) },
      handle: async () => ok({ n: 1n }),
    })
    const server = await kitServer([endpoint])
    expect((await server.get('/bigint')).status).toBe(500)
  })
})
