import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, requestHead, sendRaw } from '../../support/http/raw-http.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const key = `X-API-Key: ${testKey}`
const json = 'Content-Type: application/json'

const echo = defineEndpoint({
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Say it again',
  body: z.looseObject({}),
  answers: { 200: z.looseObject({}) },
  handle: async ({ body }) => ok(body),
})

describe('a request that is not valid HTTP', () => {
  const smuggled = '2\r\n{}\r\n0\r\n\r\n'
  const cases: [string, string | Buffer][] = [
    ['noise', 'hello there\r\n\r\n'],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x0d, 0x0a])],
    ['TLS', Buffer.from('160301020001000001fc0303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', requestHead('BREW /api/v1/echo', [key])],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['a control character in the path', requestHead('GET /api/\x1b[31m', [key])],
    ['a NUL in the path', requestHead('GET /api/\0', [key])],
    ['a control character in a header', requestHead('GET /api/v1/echo', [key, 'X-Colour: \x1b[31m'])],
    ['a NUL in a header', requestHead('GET /api/v1/echo', [key, 'X-Nul: a\0b'])],
    ['a space before the colon', requestHead('GET /api/v1/echo', [key, 'X-Space : a'])],
    ['a folded header', requestHead('GET /api/v1/echo', [key, 'X-Folded: a', ' b'])],
    ['a bare carriage return', requestHead('GET /api/v1/echo', [key, 'X-Bare: a\rX-More: b'])],
    [
      'a length and chunks',
      requestHead('POST /api/v1/echo', [key, json, 'Content-Length: 2', 'Transfer-Encoding: chunked']) + smuggled,
    ],
    ['two lengths', `${requestHead('POST /api/v1/echo', [key, json, 'Content-Length: 2', 'Content-Length: 3'])}{}`],
    [
      'chunked as the first of two codings',
      requestHead('POST /api/v1/echo', [key, json, 'Transfer-Encoding: chunked, gzip']) + smuggled,
    ],
    ['an unknown coding', requestHead('POST /api/v1/echo', [key, json, 'Transfer-Encoding: xchunked']) + smuggled],
    [
      'a chunk without a size',
      `${requestHead('POST /api/v1/echo', [key, json, 'Transfer-Encoding: chunked'])}zz\r\n{}\r\n0\r\n\r\n`,
    ],
  ]

  test.each(cases)('an HTTP request with %s is answered 400 and the connection is closed', async (_name, bytes) => {
    const server = await kitServer([echo])
    const connection = openRaw(server.url)
    connection.send(bytes)
    const answer = await connection.answer()
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: 'Bad Request',
      message: 'The request is not valid HTTP',
      messages: ['The request is not valid HTTP'],
    })
    await connection.closed
    expect(server.records().filter(({ level }) => level > 20)).toEqual([])
  })

  test('headers of more than 16 KB are 431', async () => {
    const server = await kitServer([echo])
    const answer = await sendRaw(server.url, requestHead('GET /api/v1/echo', [key, `X-Long: ${'x'.repeat(20_000)}`]))
    expect([answer.status, answer.body.messages]).toEqual([431, ['The request headers are too large']])
  })

  test('a path of more than 16 KB is 431', async () => {
    const server = await kitServer([echo])
    const answer = await sendRaw(server.url, requestHead(`GET /api/v1/${'x'.repeat(20_000)}`, [key]))
    expect([answer.status, answer.body.error]).toEqual([431, 'Headers too large'])
  })
})

describe('an unusual but valid request', () => {
  test('an unusual but valid request with an unknown expectation is served', async () => {
    const server = await kitServer([echo])
    const head = requestHead('POST /api/v1/echo', [key, json, 'Content-Length: 7', 'Expect: miracles'])
    const answer = await sendRaw(server.url, `${head}{"a":1}`)
    expect([answer.status, answer.body]).toEqual([200, { a: 1 }])
  })

  test('an unusual but valid request with Expect: 100-continue gets 100 Continue', async () => {
    const server = await kitServer([echo])
    const connection = openRaw(server.url)
    connection.send(requestHead('POST /api/v1/echo', [key, json, 'Content-Length: 7', 'Expect: 100-continue']))
    await eventually(
      async () => connection.received(),
      (received) => received.startsWith('HTTP/1.1 100 '),
    )
    connection.send('{"a":1}')
    expect((await connection.answer()).body).toEqual({ a: 1 })
    connection.end()
  })

  test('an unusual but valid request that offers an unsupported upgrade is served without it', async () => {
    const server = await kitServer([echo])
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
    expect((await sendRaw(server.url, requestHead('GET /api/v1/echo', upgrade))).status).toBe(401)
    expect((await sendRaw(server.url, requestHead('GET /api/v1/echo', [...upgrade, key]))).status).toBe(404)
  })

  test('an unusual but valid request with CONNECT opens no tunnel', async () => {
    const server = await kitServer([echo])
    const connection = openRaw(server.url)
    connection.send(requestHead('CONNECT example.com:443', [key]))
    expect(await connection.closed).not.toContain('200')
  })

  test('an unusual but valid request that is pipelined is answered in order', async () => {
    const server = await kitServer([echo])
    const connection = openRaw(server.url)
    const one = (body: string) =>
      `${requestHead('POST /api/v1/echo', [key, json, `Content-Length: ${body.length}`])}${body}`
    connection.send(one('{"n":1}') + one('{"n":') + one('{"n":3}'))
    await eventually(
      async () => connection.received(),
      (received) => received.includes('{"n":3}'),
    )
    expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 422', 'HTTP/1.1 200'])
    connection.end()
  })
})

describe('a client that disconnects', () => {
  test('a client that disconnects in the middle of its body causes no fault', async () => {
    const server = await kitServer([echo])
    const connection = openRaw(server.url)
    connection.send(`${requestHead('POST /api/v1/echo', [key, json, 'Content-Length: 100'])}{"a":`)
    await eventually(
      async () => new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count))),
      (count) => count === 1,
    )
    await wait(50) // the headers have to be read before the end of the connection can be the end of a body
    connection.end()
    await eventually(
      async () => new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count))),
      (count) => count === 0,
    )
    expect(server.records().filter(({ level }) => level > 20)).toEqual([])
  })

  test('a client that disconnects aborts the signal of its handler; nothing else aborts it', async () => {
    const seen: string[] = []
    const watched = (method: 'GET' | 'POST') =>
      defineEndpoint({
        method,
        path: '/watched',
        tag: 'Test',
        summary: 'Wait for the caller to go',
        query: z.object({ wait: z.string().optional() }),
        answers: { 200: z.object({}) },
        handle: async ({ signal, query }) => {
          seen.push(`${method} ${signal.aborted}`)
          if (query.wait === undefined) await wait(50)
          else await new Promise((resolve) => signal.addEventListener('abort', resolve))
          seen.push(`${method} ${signal.aborted}`)
          return ok({})
        },
      })
    const server = await kitServer([watched('GET'), watched('POST')])
    await server.get('/watched')
    await server.post('/watched', { a: 1 })
    expect(seen.splice(0)).toEqual(['GET false', 'GET false', 'POST false', 'POST false'])
    for (const [method, body] of [
      ['GET', ''],
      ['POST', '{}'],
    ] as const) {
      const connection = openRaw(server.url)
      const head = requestHead(`${method} /api/v1/watched?wait=1`, [key, json, `Content-Length: ${body.length}`])
      connection.send(head + body)
      await eventually(
        async () => seen.length,
        (count) => count === 1,
      )
      connection.end()
      await eventually(
        async () => seen.length,
        (count) => count === 2,
      )
      expect(seen.splice(0)).toEqual([`${method} false`, `${method} true`])
    }
  })
})

describe('an answer that has begun', () => {
  test('an answer that has begun is not followed by a second one', async () => {
    const stream = new PassThrough()
    const endless = defineEndpoint({
      method: 'GET',
      path: '/endless',
      tag: 'Test',
      summary: 'Never end',
      answers: { 200: 'text' },
      handle: async () => ok(stream),
    })
    const server = await kitServer([endless])
    const connection = openRaw(server.url)
    connection.send(requestHead('GET /api/v1/endless', [key]))
    stream.write('first words')
    await eventually(
      async () => connection.received(),
      (received) => received.includes('first words'),
    )
    connection.send('this is not HTTP\r\n\r\n')
    const received = await connection.closed
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})
