import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { withoutToken } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, type KitServer, kitServer } from '../../support/http/kit-server.ts'
import { type RawAnswer, requestHead, sendRaw } from '../../support/http/raw-http.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const key = `X-API-Key: ${testKey}`
const forged = '\r\n{"level":60,"msg":"forged"}\n\u001b[31mred\u001b[0m\u2028\u009b31m'

const echo = defineEndpoint({
  method: 'POST',
  path: '/things/{name}',
  tag: 'Test',
  summary: 'Fail when asked to, in the words it was sent',
  params: z.object({ name: z.string() }),
  body: z.object({ title: z.string() }),
  answers: { 200: z.object({}) },
  handle: async ({ params, body }) => {
    if (params.name === 'fine') return ok({})
    throw new Error(`${params.name}: ${body.title}`)
  },
})

/** The log records of one request; checks that each is one line of JSON without a bare control character. */
async function recordsOf(server: KitServer, answer: RawAnswer, count: number) {
  const lines = await eventually(
    async () => server.lines().filter((line) => line.includes(answer.headers['x-request-id'] ?? 'no id')),
    ({ length }) => length >= count,
  )
  expect(lines).toHaveLength(count)
  expect(server.lines()).toHaveLength(count)
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is looked for
    expect(line).not.toMatch(/[\u0000-\u001f\u007f]/)
  }
  return server.records()
}

describe('one request makes one log record', () => {
  test('one request makes one log record when its path contains line ends and colour codes', async () => {
    const server = await kitServer([echo])
    const target = `/api/v1/nothing/${encodeURIComponent(forged)}`
    const answer = await sendRaw(server.url, requestHead(`GET ${target}`, [key]))
    const [record] = await recordsOf(server, answer, 1)
    expect(record).toMatchObject({ level: 20, msg: 'answered', path: target, status: 404 })
  })

  test('one request makes one log record with the path of the request and without its query', async () => {
    const server = await kitServer([echo])
    const answer = await sendRaw(server.url, requestHead(`GET /api/v1/nothing?secret=hunter2`, [key]))
    const [record] = await recordsOf(server, answer, 1)
    expect(record?.path).toBe('/api/v1/nothing')
    expect(server.lines().join()).not.toContain('hunter2')
  })

  test('one request makes one log record that says which key was presented, without the key', async () => {
    const server = await kitServer([echo])
    const answer = await sendRaw(server.url, requestHead('GET /api/v1/nothing', [key]))
    const [record] = await recordsOf(server, answer, 1)
    expect(record?.key).toBe('API_KEYS 1')
    expect(server.lines().join()).not.toContain(testKey)
  })

  test('one request makes one log record without the elicitation token in its path, whether a route matches or not', async () => {
    const token = `yme_${'k'.repeat(43)}`
    const route = defineEndpoint({
      method: 'GET',
      path: '/elicitations/session/{token}',
      auth: 'elicitation_token',
      tag: 'Test',
      summary: 'By token',
      params: z.object({ token: z.string() }),
      answers: { 200: z.object({}) },
      handle: async () => ok({}),
    })
    for (const target of [`/%61pi/v1/elicitations/session/${token}`, `/api/v1/elicitations/session/${token}/a/b`]) {
      const server = await kitServer([route], { checkers: { elicitation_token: () => undefined } })
      const answer = await sendRaw(server.url, requestHead(`GET ${target}`, [key]))
      await recordsOf(server, answer, 1)
      expect(server.lines().join()).not.toContain(token)
    }
  })

  test('one request makes one log record when headers imitate a request id, a key and an address', async () => {
    const server = await kitServer([echo])
    const headers = [
      'X-API-Key: {"level":60}',
      'X-Request-Id: \\r\\n{"level":60}',
      'X-Forwarded-For: \\u001b[31m',
      'User-Agent: \tforged',
    ]
    const answer = await sendRaw(server.url, requestHead('GET /api/v1/things', headers))
    const [record] = await recordsOf(server, answer, 1)
    expect(record).toMatchObject({ status: 401 })
    expect(Object.keys(record ?? {}).sort()).toEqual(
      ['level', 'method', 'ms', 'msg', 'path', 'request_id', 'status', 'time'].sort(),
    )
  })

  test('one request makes one log record when a header contains raw line ends or control characters', async () => {
    const server = await kitServer([echo])
    const split = await sendRaw(server.url, requestHead('GET /api/v1/things', ['X-A: b\r\nX-Request-Id: forged', key]))
    await recordsOf(server, split, 1)
    for (const header of ['X-A: \u001b[31m', 'X-A: a\0b', 'X-A: a\rb']) {
      expect((await sendRaw(server.url, requestHead('GET /api/v1/things', [header, key]))).status).toBe(400)
    }
    expect(server.lines()).toHaveLength(1)
  })

  test('one request makes one log record when the message of a fault contains text of the caller', async () => {
    const server = await kitServer([echo], { logLevel: 'info' })
    const body = JSON.stringify({ title: forged })
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    const answer = await sendRaw(
      server.url,
      requestHead(`POST /api/v1/things/${encodeURIComponent(forged)}`, [
        key,
        'Content-Type: application/json',
        length,
      ]) + body,
    )
    expect(answer.status).toBe(500)
    const [record] = await recordsOf(server, answer, 1)
    expect(record?.err.message).toBe(`${forged}: ${forged}`)
    expect(answer.text).not.toContain('forged')
  })

  test('one request makes one log record and none at the default level for a success or a refusal', async () => {
    const server = await kitServer([echo], { logLevel: 'info' })
    expect((await server.post('/things/fine', { title: 'a' })).status).toBe(200)
    await server.post('/things/fine', {})
    await server.get('/nothing')
    await server.send('/api/v1/things')
    await server.close()
    expect(server.lines()).toEqual([])
  })
})

describe('the key', () => {
  test('an API key is in no log record, whether right or wrong', async () => {
    const server = await kitServer([echo])
    await sendRaw(server.url, requestHead('GET /api/v1/things', ['X-API-Key: almost-the-key']))
    await sendRaw(server.url, requestHead('GET /api/v1/things', [key]))
    const body = '{"title":"a"}'
    const head = ['Content-Type: application/json', `Content-Length: ${body.length}`, key]
    await sendRaw(server.url, requestHead('POST /api/v1/things/fault', head) + body)
    await server.close()
    expect(server.lines()).toHaveLength(4)
    expect(server.lines().join()).not.toMatch(/test-key|almost-the-key/)
  })
})

test.each([
  '/api/v1/elicitations/session/TOKEN/one',
  '/api/v1/%65licitations/session/TOKEN',
  '/api/v1/elicitations%2Fsession%2FTOKEN',
  '/elsewhere/TOKEN',
  '/elsewhere/%79m%65_%6bkkkkkkkkk',
])('the path %s is logged without the token', (path) => {
  expect(withoutToken(path.replace('TOKEN', `yme_${'k'.repeat(43)}`))).not.toContain('kkk')
})
