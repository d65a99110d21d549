import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { defaultTimeouts, type HttpTimeouts } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, type KitServer, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, requestHead } from '../../support/http/raw-http.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const key = `X-API-Key: ${testKey}`

const echo = defineEndpoint({
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Say it again',
  body: z.looseObject({}),
  answers: { 200: z.looseObject({}) },
  handle: async ({ body }) => ok(body),
})

async function connections({ server }: KitServer): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}

/** Longer than a test may take, so that waiting for them fails it. */
const endless: HttpTimeouts = { ...defaultTimeouts, keepAliveMs: 60_000, drainMs: 60_000 }

/** Only the drain may end a connection: the others could end it before the server closes. */
const briefDrain: HttpTimeouts = { ...endless, drainMs: 300 }

describe('a server that is closing', () => {
  test('a server that is closing answers running requests with Connection: close and waits for nothing else', async () => {
    let goOn: (() => void) | undefined
    const held = defineEndpoint({
      method: 'GET',
      path: '/held',
      tag: 'Test',
      summary: 'Wait to be let go',
      answers: { 200: z.object({}) },
      handle: async () => {
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
        return ok({})
      },
    })
    const server = await kitServer([held], { timeouts: endless })
    const connection = openRaw(server.url)
    connection.send(requestHead('GET /api/v1/held', [key]))
    await eventually(
      async () => goOn !== undefined,
      (isHeld) => isHeld,
    )
    const closing = server.close()
    await eventually(
      async () => server.server.listening,
      (isListening) => !isListening,
    )
    goOn?.()
    const { status, headers } = await connection.answer()
    expect([status, headers.connection]).toEqual([200, 'close'])
    await closing
  })

  test('a server that is closing answers a request that arrives on an open connection, in the usual error shape', async () => {
    const server = await kitServer([echo], { timeouts: endless })
    const connection = openRaw(server.url)
    const request = requestHead('GET /api/v1/nothing', [key])
    connection.send(request.slice(0, 20))
    await eventually(
      () => connections(server),
      (count) => count === 1,
    )
    const closing = server.close()
    await eventually(
      async () => server.server.listening,
      (isListening) => !isListening,
    )
    connection.send(request.slice(20))
    const { status, headers, body } = await connection.answer()
    expect([status, headers.connection]).toEqual([404, 'close'])
    expect(body.messages).toEqual(['The requested resource was not found'])
    await closing
  })

  test.each([
    ['says nothing', ''],
    ['does not finish its headers', 'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    [
      'does not finish its body',
      `${requestHead('POST /api/v1/echo', [key, 'Content-Type: application/json', 'Content-Length: 100'])}{`,
    ],
  ])('a server that is closing closes within the drain time although a client %s', async (_name, bytes) => {
    const server = await kitServer([echo], { timeouts: briefDrain })
    const connection = openRaw(server.url)
    if (bytes !== '') connection.send(bytes)
    await eventually(
      () => connections(server),
      (count) => count === 1,
    )
    await server.close()
    await connection.closed
    expect(await connections(server)).toBe(0)
  })
})
