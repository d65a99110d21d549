import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { defaultTimeouts, type HttpTimeouts } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, type RawConnection, requestHead } from '../../support/http/raw-http.ts'

/** Short limits, so that a test takes less time than the product's limits. */
const brief: HttpTimeouts = {
  headersMs: 200,
  requestMs: 500,
  keepAliveMs: 300,
  checkEveryMs: 50,
  stalledMs: 300,
  slowestBytesPerSecond: defaultTimeouts.slowestBytesPerSecond,
  drainMs: 300,
}
/** For tests with an ordinary request first: on a busy machine it must not count as slow. */
const patient: HttpTimeouts = {
  headersMs: 5000,
  requestMs: 6000,
  keepAliveMs: 300,
  checkEveryMs: 50,
  stalledMs: 300,
  slowestBytesPerSecond: defaultTimeouts.slowestBytesPerSecond,
  drainMs: 300,
}
const jsonHeaders = [`X-API-Key: ${testKey}`, 'Content-Type: application/json']

const echo = defineEndpoint({
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Say it again',
  body: z.looseObject({}),
  answers: { 200: z.looseObject({}) },
  handle: async ({ body }) => ok(body),
})

const slow = defineEndpoint({
  method: 'GET',
  path: '/slow',
  tag: 'Test',
  summary: 'Take longer than any client may',
  answers: { 200: z.object({ isDone: z.boolean() }) },
  handle: async () => {
    await wait(1.5 * patient.requestMs)
    return ok({ isDone: true })
  },
})

/** Sends a byte at a time until the server closes the connection. */
async function trickle(connection: RawConnection, byte: string): Promise<string> {
  const timer = setInterval(() => connection.send(byte), 20)
  try {
    return await connection.closed
  } finally {
    clearInterval(timer)
  }
}

describe('the time limits', () => {
  test('disconnect a slow client within 15 seconds, whichever part is slow', () => {
    const { headersMs, requestMs, keepAliveMs, checkEveryMs } = defaultTimeouts
    for (const limitMs of [headersMs, requestMs, keepAliveMs]) {
      expect(limitMs).toBeGreaterThan(0)
      expect(limitMs + checkEveryMs).toBeLessThanOrEqual(15_000)
    }
  })

  test('the time limits are set on the listening server', async () => {
    const { server } = await kitServer([])
    expect({
      headersMs: server.headersTimeout,
      requestMs: server.requestTimeout,
      keepAliveMs: server.keepAliveTimeout,
    }).toEqual({
      headersMs: defaultTimeouts.headersMs,
      requestMs: defaultTimeouts.requestMs,
      keepAliveMs: defaultTimeouts.keepAliveMs,
    })
  })
})

describe('a client is disconnected when', () => {
  test('it connects and sends nothing', async () => {
    const { url } = await kitServer([echo], { timeouts: brief })
    expect(await openRaw(url).closed).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('its body continues after the answer, without a second answer', async () => {
    const { url } = await kitServer([echo], { timeouts: patient })
    const connection = openRaw(url)
    connection.send(requestHead('POST /api/v1/echo', ['Content-Type: application/json', 'Content-Length: 100000']))
    const received = await trickle(connection, 'x')
    expect(received).toMatch(/^HTTP\/1\.1 401 /)
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('its headers arrive a byte at a time', async () => {
    const { url } = await kitServer([echo], { timeouts: brief })
    const connection = openRaw(url)
    connection.send('GET /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const received = await trickle(connection, 'x')
    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    expect(received).toContain('"messages":["The request did not arrive in time"]')
  })

  test.each([
    ['of a known length', 'Content-Length: 100000', 'x'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
  ])('its body %s arrives a byte at a time', async (_name, header, byte) => {
    const server = await kitServer([echo], { timeouts: brief })
    const connection = openRaw(server.url)
    connection.send(requestHead('POST /api/v1/echo', [...jsonHeaders, header]))
    const received = await trickle(connection, byte)
    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    expect(received).toContain('"error":"Request timeout"')
    expect(server.records().filter(({ level }) => level >= 50)).toEqual([])
  })

  test('it keeps an idle connection open', async () => {
    const { url } = await kitServer([echo], { timeouts: patient })
    const connection = openRaw(url)
    connection.send(`${requestHead('POST /api/v1/echo', [...jsonHeaders, 'Content-Length: 2'])}{}`)
    expect((await connection.answer()).status).toBe(200)
    expect((await connection.closed).match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('it does not finish a second request on a kept connection', async () => {
    // Not idle for so long: on a busy machine the second request may begin late.
    const { url } = await kitServer([echo], { timeouts: { ...patient, keepAliveMs: 60_000 } })
    const connection = openRaw(url)
    connection.send(`${requestHead('POST /api/v1/echo', [...jsonHeaders, 'Content-Length: 2'])}{}`)
    await connection.answer()
    connection.send('GET /up HTTP/1.1\r\nX-Slow: ')
    expect(await trickle(connection, 'x')).toMatch(/HTTP\/1\.1 408 /)
  })

  test('it sends a body that the server does not read, a byte at a time', async () => {
    const { url } = await kitServer([echo], { timeouts: patient })
    const connection = openRaw(url)
    connection.send(requestHead('GET /api/v1/nothing', [...jsonHeaders, 'Content-Length: 100000']))
    expect(await trickle(connection, 'x')).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('other clients stay connected', () => {
  test('an answer may take longer than the request limit', async () => {
    const server = await kitServer([slow], { timeouts: patient })
    expect((await server.get('/slow')).body).toEqual({ isDone: true })
  })

  test('two hundred slow clients are disconnected while others are served', async () => {
    const server = await kitServer([echo], { timeouts: { ...patient, headersMs: 6000, requestMs: 8000 } })
    const connections = Array.from({ length: 200 }, () => openRaw(server.url))
    for (const connection of connections) connection.send('GET /up HTTP/1.1\r\nX-Slow: ')
    const isCut = Promise.all(connections.map((connection) => trickle(connection, 'x')))
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await server.post('/echo', { a: 1 })).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const received of await isCut) expect(received).toMatch(/^HTTP\/1\.1 408 /)
  })
})
