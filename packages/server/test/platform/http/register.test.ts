import { Readable } from 'node:stream'
import type { RefusalKind } from '@yardmaster/contract/problem'
import { refusals } from '@yardmaster/contract/problem'
import { refuseField, sent } from '@yardmaster/contract/sent'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answer, noContent, ok } from '../../../src/platform/http/answer.ts'
import { asEventStream } from '../../../src/platform/http/register.ts'
import { refuse } from '../../../src/platform/refusal.ts'
import { expectProblem, testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'

const plain = { method: 'GET', tag: 'Test', summary: 'Do nothing' } as const

function doing(path: string, method: 'GET' | 'POST' = 'GET') {
  return defineEndpoint({ ...plain, method, path, answers: { 200: z.object({}) }, handle: async () => ok({}) })
}

describe('two endpoints with the same address', () => {
  test('two endpoints with the same address are refused at registration', async () => {
    await expect(kitServer([doing('/twice'), doing('/twice')])).rejects.toThrow('two endpoints answer GET /twice')
  })

  test('two endpoints with the same address are refused although their parameters have different names', async () => {
    await expect(kitServer([doing('/a/{id}'), doing('/a/{slug}')])).rejects.toThrow('two endpoints answer GET /a/{}')
  })

  test('two endpoints with the same address are accepted when their methods differ, or one has a literal where the other has a parameter', async () => {
    const server = await kitServer([doing('/a'), doing('/a', 'POST'), doing('/a/{id}'), doing('/a/word')])
    expect((await server.get('/a')).status).toBe(200)
    expect((await server.get('/a/word')).status).toBe(200)
  })
})

describe('an undeclared answer', () => {
  const undeclared = (path: string, given: { status: number; body: unknown }) =>
    defineEndpoint({ ...plain, path, answers: { 200: z.object({ a: z.int() }) }, handle: async () => given as never })
  const endpoints = [
    undeclared('/status', answer(202, { a: 1 })),
    undeclared('/missing', ok({})),
    undeclared('/type', ok({ a: 'one' })),
    undeclared('/extra', ok({ a: 1, b: 2 })),
    undeclared('/nothing', answer(200, undefined)),
    undeclared('/text', ok('a')),
  ]
  const paths = endpoints.map(({ path }) => path)

  test.each(paths)('the undeclared answer %s is a fault when answers are checked', async (path) => {
    const server = await kitServer(endpoints, { isChecking: true })
    expect((await server.get(path)).status).toBe(500)
    const [record] = server.records().filter(({ level }) => level >= 50)
    expect(record?.err.message).toContain(`GET ${path} answered`)
  })

  test('an undeclared answer is sent unchanged when answers are not checked', async () => {
    const server = await kitServer(endpoints)
    for (const path of paths) expect((await server.get(path)).status).toBeLessThan(300)
  })

  test('an undeclared answer must match one of the alternatives where several are declared', async () => {
    const either = (path: string, body: unknown) =>
      defineEndpoint({
        ...plain,
        path,
        answers: { 200: [z.object({ a: z.int() }), 'text'] },
        handle: async () => ok(body) as never,
      })
    const server = await kitServer([either('/one', { a: 1 }), either('/other', 'a'), either('/none', { b: 1 })], {
      isChecking: true,
    })
    expect((await server.get('/one')).body).toEqual({ a: 1 })
    expect((await server.get('/other')).body).toBe('a')
    expect((await server.get('/none')).status).toBe(500)
  })

  test('an undeclared answer may have additional keys where the schema is loose', async () => {
    const loose = defineEndpoint({
      ...plain,
      path: '/loose',
      answers: { 200: z.looseObject({ a: z.int() }) },
      handle: async () => ok({ a: 1, b: 2 }),
    })
    const server = await kitServer([loose], { isChecking: true })
    expect((await server.get('/loose')).body).toEqual({ a: 1, b: 2 })
  })
})

describe('a refusal', () => {
  const refusing = (path: string, kind: RefusalKind, declared: RefusalKind[] = []) =>
    defineEndpoint({
      ...plain,
      path,
      answers: { 200: z.object({}) },
      refusals: declared,
      handle: async () => refuse(kind, ['One thing', 'another thing'], { retry_after: 7 }),
    })

  test('a refusal of every kind has its status, label, sentences and additional keys', async () => {
    const kinds = Object.keys(refusals) as RefusalKind[] // the keys of the table are the kinds
    const server = await kitServer(kinds.map((kind) => refusing(`/${kind}`, kind, [kind])))
    for (const kind of kinds) {
      const refused = await server.get(`/${kind}`)
      expect({ kind, status: refused.status, body: refused.body }).toEqual({
        kind,
        status: refusals[kind].status,
        body: {
          error: refusals[kind].error,
          message: 'One thing, another thing',
          messages: ['One thing', 'another thing'],
          retry_after: 7,
        },
      })
    }
  })

  test('a refusal is a fault when refusals are checked and it is not declared', async () => {
    const server = await kitServer(
      [refusing('/undeclared', 'invalid_model'), refusing('/declared', 'invalid_model', ['invalid_model'])],
      { isChecking: true },
    )
    expect((await server.get('/undeclared')).status).toBe(500)
    expect(server.records().some(({ err }) => err?.message.includes('refused with invalid_model'))).toBe(true)
    expectProblem(await server.get('/declared'), 422, 'Invalid model')
  })

  test('a refusal writes no log record above debug', async () => {
    const server = await kitServer([refusing('/a', 'invalid_model', ['invalid_model'])], { logLevel: 'info' })
    await server.get('/a')
    expect(server.records()).toEqual([])
  })
})

describe('the response', () => {
  test('the response has the content type of its kind: nothing, text, a stream of text, a stream of events', async () => {
    const server = await kitServer(
      [
        defineEndpoint({ ...plain, path: '/nothing', answers: { 204: 'nothing' }, handle: async () => noContent() }),
        defineEndpoint({ ...plain, path: '/text', answers: { 200: 'text' }, handle: async () => ok('<b>a</b>') }),
        defineEndpoint({
          ...plain,
          path: '/stream',
          answers: { 200: 'text' },
          handle: async () => ok(Readable.from(['a', 'b'])),
        }),
        defineEndpoint({
          ...plain,
          path: '/events',
          answers: { 200: 'event-stream' },
          handle: async () => ok(asEventStream(Readable.from(['data: a\n\n']))),
        }),
      ],
      { isChecking: true },
    )
    const read = async (path: string) => {
      const response = await server.send(`/api/v1${path}`, { headers: { 'x-api-key': testKey } })
      return [response.status, response.headers.get('content-type'), await response.text()]
    }
    expect(await read('/nothing')).toEqual([204, null, ''])
    expect(await read('/text')).toEqual([200, 'text/plain; charset=utf-8', '<b>a</b>'])
    expect(await read('/stream')).toEqual([200, 'text/plain; charset=utf-8', 'ab'])
    expect(await read('/events')).toEqual([200, 'text/event-stream', 'data: a\n\n'])
  })

  test('the response to HEAD has headers and no body, and its stream is destroyed', async () => {
    let isAborted = false
    const stream = new Readable({ read: () => undefined })
    const endless = defineEndpoint({
      ...plain,
      path: '/endless',
      answers: { 200: 'event-stream' },
      handle: async ({ signal }) => {
        signal.addEventListener('abort', () => {
          isAborted = true
          stream.destroy()
        })
        return ok(asEventStream(stream))
      },
    })
    const server = await kitServer([endless])
    const response = await server.send('/api/v1/endless', { method: 'HEAD', headers: { 'x-api-key': testKey } })
    expect([response.status, await response.text()]).toEqual([200, ''])
    await expect.poll(() => isAborted).toBe(true)
  })
})

describe('the request that a handler gets', () => {
  test('the body is validated when the handler reads it, and the early keys are there before', async () => {
    const endpoint = defineEndpoint({
      ...plain,
      method: 'POST',
      path: '/lazy',
      body: z.object({ name: z.string() }),
      early: z.object({ shortcut: z.boolean().optional().catch(undefined) }),
      answers: { 200: z.object({ name: z.string() }) },
      handle: async (request) => ok({ name: request.early.shortcut ? 'not looked at' : request.body.name }),
    })
    const server = await kitServer([endpoint], { isChecking: true })
    expect((await server.post('/lazy', { shortcut: true })).body).toEqual({ name: 'not looked at' })
    expect((await server.post('/lazy', { name: 'a', other: 1 })).body).toEqual({ name: 'a' })
    expectProblem(await server.post('/lazy', {}), 422, 'Validation failed', "Name can't be blank")
  })

  test('a field may refuse a value under its own label; ordinary problems come first, all together', async () => {
    const endpoint = defineEndpoint({
      ...plain,
      method: 'POST',
      path: '/labelled',
      body: z.object({
        name: z.string(),
        size: sent<number>().transform((value, context) =>
          value === undefined ? refuseField(context, 'missing_parameter', 'size is required') : Number(value),
        ),
        place: sent<number>().transform((value, context) =>
          value === undefined ? refuseField(context, 'invalid_position', 'Position must be >= 1') : Number(value),
        ),
      }),
      answers: { 200: z.object({ size: z.int() }) },
      refusals: ['missing_parameter', 'invalid_position'],
      handle: async ({ body }) => ok({ size: body.size }),
    })
    const server = await kitServer([endpoint], { isChecking: true })
    expectProblem(await server.post('/labelled', {}), 422, 'Validation failed', "Name can't be blank")
    expectProblem(await server.post('/labelled', { name: 'a' }), 422, 'Missing parameter', 'size is required')
    const unplaced = await server.post('/labelled', { name: 'a', size: 1 })
    expectProblem(unplaced, 422, 'Invalid position', 'Position must be >= 1')
    expect((await server.post('/labelled', { name: 'a', size: 1, place: 1 })).body).toEqual({ size: 1 })
  })

  test('a path that does not match its schema is 404', async () => {
    const endpoint = defineEndpoint({
      ...plain,
      path: '/things/{id}',
      params: z.object({ id: z.string().regex(/^\d+$/) }),
      answers: { 200: z.object({ id: z.string() }) },
      handle: async ({ params }) => ok({ id: params.id }),
    })
    const server = await kitServer([endpoint])
    expect((await server.get('/things/7')).body).toEqual({ id: '7' })
    for (const id of ['seven', '7%2F8', '%37x', '']) expectProblem(await server.get(`/things/${id}`), 404, 'Not Found')
  })

  test('each problem of a body has its own sentence', async () => {
    const endpoint = defineEndpoint({
      ...plain,
      method: 'POST',
      path: '/strict',
      body: z.object({
        git_root: z.string(),
        parent_session_id: z.int(),
        is_frozen: z.boolean(),
        kinds: z.array(z.enum(['a', 'b'])),
        names: z.array(z.string()).max(2),
        window: z.int().min(1).max(5),
        inner: z.strictObject({ x: z.string() }),
        config: z.record(z.string(), z.unknown()),
      }),
      answers: { 200: z.object({}) },
      handle: async ({ body }) => ok(body && {}),
    })
    const server = await kitServer([endpoint])
    const refused = await server.post('/strict', {
      parent_session_id: 'x',
      is_frozen: 'yes',
      kinds: ['a', 'c'],
      names: ['a', 'b', 'c'],
      window: 9,
      inner: { x: 1, y: 2 },
      config: [],
    })
    expect(refused.body.messages).toEqual([
      "Git root can't be blank",
      'Parent session is not a number',
      'Is frozen must be true or false',
      'Kinds must be one of: a, b',
      'Names has too many entries (maximum is 2)',
      'Window must be less than or equal to 5',
      'Inner x must be a string',
      'Inner has unknown keys: y',
      'Config must be an object',
    ])
    expect(refused.body.message).toBe(refused.body.messages.join(', '))
  })
})
