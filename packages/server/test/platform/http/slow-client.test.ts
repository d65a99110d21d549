import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { defaultTimeouts, type HttpTimeouts } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, type RawConnection, requestHead } from '../../support/http/raw-http.ts'

/** So that a test takes a moment where the product takes seconds. */
const brief: HttpTimeouts = { headersMs: 200, requestMs: 500, keepAliveMs: 300, checkEveryMs: 50, drainMs: 300 }
/** Where an honest request comes first: even on a busy machine it must not be taken for a slow one. */
const patient: HttpTimeouts = { headersMs: 1500, requestMs: 2000, keepAliveMs: 300, checkEveryMs: 50, drainMs: 300 }
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

/** A byte at a time, for as long as the server lets it. */
async function trickle(connection: RawConnection, byte: string): Promise<string> {
  const timer = setInterval(() => connection.send(byte), 20)
  try {
    return await connection.closed
  } finally {
    clearInterval(timer)
  }
}

describe('the limits themselves', () => {
  test('cut a slow client within 15 seconds, whichever part it is slow in', () => {
    const { headersMs, requestMs, keepAliveMs, checkEveryMs } = defaultTimeouts
    for (const limitMs of [headersMs, requestMs, keepAliveMs]) {
      expect(limitMs).toBeGreaterThan(0)
      expect(limitMs + checkEveryMs).toBeLessThanOrEqual(15_000)
    }
  })

  test('hold on the server that listens', async () => {
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

describe('a client is cut when', () => {
  test('it connects and says nothing', async () => {
    const { url } = await kitServer([echo], { timeouts: brief })
    expect(await openRaw(url).closed).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('its body goes on after it was answered, and then it hears nothing more', async () => {
    const { url } = await kitServer([echo], { timeouts: brief })
    const connection = openRaw(url)
    connection.send(requestHead('POST /api/v1/echo', ['Content-Type: application/json', 'Content-Length: 100000']))
    const received = await trickle(connection, 'x')
    expect(received).toMatch(/^HTTP\/1\.1 401 /)
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('its headers come a byte at a time', async () => {
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
  ])('its body %s comes a byte at a time', async (_name, header, byte) => {
    const server = await kitServer([echo], { timeouts: brief })
    const connection = openRaw(server.url)
    connection.send(requestHead('POST /api/v1/echo', [...jsonHeaders, header]))
    const received = await trickle(connection, byte)
    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    expect(received).toContain('"error":"Request timeout"')
    expect(server.records().filter(({ level }) => level >= 50)).toEqual([])
  })

  test('it keeps a connection and asks for nothing more', async () => {
    const { url } = await kitServer([echo], { timeouts: patient })
    const connection = openRaw(url)
    connection.send(`${requestHead('POST /api/v1/echo', [...jsonHeaders, 'Content-Length: 2'])}{}`)
    expect((await connection.answer()).status).toBe(200)
    expect((await connection.closed).match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('it begins a second request on a kept connection and does not finish it', async () => {
    const { url } = await kitServer([echo], { timeouts: patient })
    const connection = openRaw(url)
    connection.send(`${requestHead('POST /api/v1/echo', [...jsonHeaders, 'Content-Length: 2'])}{}`)
    await connection.answer()
    connection.send('GET /up HTTP/1.1\r\nX-Slow: ')
    expect(await trickle(connection, 'x')).toMatch(/HTTP\/1\.1 408 /)
  })

  test('it sends a body nobody reads, a byte at a time', async () => {
    const { url } = await kitServer([echo], { timeouts: brief })
    const connection = openRaw(url)
    connection.send(requestHead('GET /api/v1/nothing', [...jsonHeaders, 'Content-Length: 100000']))
    expect(await trickle(connection, 'x')).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('nobody else is cut', () => {
  test('an answer may take longer than a request', async () => {
    const server = await kitServer([slow], { timeouts: patient })
    expect((await server.get('/slow')).body).toEqual({ isDone: true })
  })

  test('two hundred slow clients are all cut while others are served', async () => {
    const server = await kitServer([echo], { timeouts: patient })
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
