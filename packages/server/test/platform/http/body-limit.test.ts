import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '@yardmaster/contract/limits'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ok } from '../../../src/platform/http/answer.ts'
import { defaultTimeouts } from '../../../src/platform/http/server.ts'
import { expectProblem, testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, type RawAnswer, type RawConnection, requestHead } from '../../support/http/raw-http.ts'

const mebibyte = 1024 * 1024
const sentence = 'The body is larger than this endpoint takes'

/** An endpoint that answers with the length of the text it receives. */
function measuring(path: string, bodyLimitBytes?: number) {
  return defineEndpoint({
    method: 'POST',
    path,
    tag: 'Test',
    summary: 'Measure a text',
    body: z.object({ text: z.string() }),
    answers: { 200: z.object({ length: z.int() }) },
    ...(bodyLimitBytes !== undefined && { bodyLimitBytes }),
    handle: async ({ body }) => ok({ length: body.text.length }),
  })
}

/** A body of exactly this size. */
function textFor(sizeBytes: number): { text: string } {
  return { text: 'x'.repeat(sizeBytes - JSON.stringify({ text: '' }).length) }
}

type Upload = { answer: RawAnswer; acceptedBytes: number }

/** Sends up to `sizeBytes` and stops when the answer arrives. */
async function upload(url: string, sizeBytes: number, header: string): Promise<Upload> {
  const connection = openRaw(url)
  const answered = connection.answer()
  connection.send(
    requestHead('POST /api/v1/usual', [`X-API-Key: ${testKey}`, 'Content-Type: application/json', header]),
  )
  const part = partOf(header)
  let acceptedBytes = 0
  while (connection.received() === '' && acceptedBytes < sizeBytes && (await isAccepted(connection, part))) {
    acceptedBytes += part.length
  }
  const answer = await answered
  connection.end()
  return { answer, acceptedBytes }
}

function partOf(header: string): Buffer {
  const part = 'x'.repeat(64 * 1024)
  return Buffer.from(header.startsWith('Transfer-Encoding') ? `${part.length.toString(16)}\r\n${part}\r\n` : part)
}

/** Whether the bytes were written; false once the connection is closed. */
function isAccepted({ socket, closed }: RawConnection, bytes: Buffer): Promise<boolean> {
  const written = new Promise<boolean>((resolve) => socket.write(bytes, (error) => resolve(!error)))
  return Promise.race([written, closed.then(() => false)])
}

describe('a body within the limit', () => {
  test('a body within the limit is accepted at exactly the limit and refused one byte above it', async () => {
    const server = await kitServer([measuring('/usual')])
    const largest = textFor(limits.bodyBytes)
    expect((await server.post('/usual', largest)).body).toEqual({ length: largest.text.length })
    expectProblem(await server.post('/usual', { text: `${largest.text}x` }), 413, 'Body too large', sentence)
  })

  test('a body within the limit may have 8 MB, and more only where an endpoint declares it', async () => {
    expect(limits.bodyBytes).toBe(8 * mebibyte)
    const server = await kitServer([measuring('/usual'), measuring('/generous', 12 * mebibyte)])
    const body = textFor(10 * mebibyte)
    expectProblem(await server.post('/usual', body), 413, 'Body too large', sentence)
    expect((await server.post('/generous', body)).status).toBe(200)
    expectProblem(await server.post('/generous', textFor(12 * mebibyte + 1)), 413, 'Body too large', sentence)
  })

  test('a body within the limit may have less where an endpoint declares a smaller limit', async () => {
    const server = await kitServer([measuring('/small', 100)])
    expect((await server.post('/small', textFor(100))).status).toBe(200)
    expectProblem(await server.post('/small', textFor(101)), 413, 'Body too large', sentence)
  })
})

describe('a body of 100 MB', () => {
  test('a body of 100 MB is refused by its Content-Length before it is sent', async () => {
    const server = await kitServer([measuring('/usual')])
    const sizeBytes = 100 * mebibyte
    const { answer, acceptedBytes } = await upload(server.url, sizeBytes, `Content-Length: ${sizeBytes}`)
    expect([answer.status, answer.body.error]).toEqual([413, 'Body too large'])
    // The server reads nothing; the accepted bytes were in the buffers of the two sockets.
    expect(acceptedBytes).toBeLessThan(16 * mebibyte)
  })

  test('a body of 100 MB in chunks is refused once it exceeds the limit', async () => {
    const server = await kitServer([measuring('/usual')])
    const { answer, acceptedBytes } = await upload(server.url, 100 * mebibyte, 'Transfer-Encoding: chunked')
    expect([answer.status, answer.body.error]).toEqual([413, 'Body too large'])
    expect(acceptedBytes).toBeLessThan(limits.bodyBytes + 16 * mebibyte)
  })

  test('a body of 100 MB that continues after the answer is discarded until the request times out, then disconnected', async () => {
    const timeouts = {
      headersMs: 5000,
      requestMs: 5000,
      keepAliveMs: 300,
      checkEveryMs: 50,
      stalledMs: 300,
      slowestBytesPerSecond: defaultTimeouts.slowestBytesPerSecond,
      drainMs: 300,
    }
    const server = await kitServer([measuring('/usual', 64 * 1024)], { timeouts })
    const header = 'Transfer-Encoding: chunked'
    const connection = openRaw(server.url)
    const answered = connection.answer()
    connection.send(
      requestHead('POST /api/v1/usual', [`X-API-Key: ${testKey}`, 'Content-Type: application/json', header]),
    )
    while (await isAccepted(connection, partOf(header))) await wait(10)
    expect((await answered).status).toBe(413)
    await connection.closed
  })

  test('a body of 100 MB is answered 413 to a client that sends all of it, and the server keeps serving', async () => {
    const server = await kitServer([measuring('/usual')])
    expectProblem(await server.post('/usual', textFor(100 * mebibyte)), 413, 'Body too large', sentence)
    expect((await server.post('/usual', { text: 'abc' })).body).toEqual({ length: 3 })
    expect(server.records().filter(({ level }) => level > 20)).toEqual([])
  })
})

describe('a wrong Content-Length', () => {
  const lying = async (contentLength: string, body: string): Promise<RawAnswer> => {
    const server = await kitServer([measuring('/usual')])
    const connection = openRaw(server.url)
    const headers = [`X-API-Key: ${testKey}`, 'Content-Type: application/json', `Content-Length: ${contentLength}`]
    connection.send(requestHead('POST /api/v1/usual', headers) + body)
    const answer = await connection.answer()
    connection.end()
    return answer
  }

  test('a huge length with a tiny body is refused with 413', async () => {
    expect((await lying('104857600', '{}')).status).toBe(413)
    expect((await lying('9007199254740993', '{}')).status).toBe(413)
  })

  test.each(['99999999999999999999999999', '-1', '2, 2', '0x10', '1e3', 'two'])(
    'a length of %s is answered 400',
    async (contentLength) => {
      const answer = await lying(contentLength, '{}')
      expect([answer.status, answer.body.error]).toEqual([400, 'Bad Request'])
    },
  )

  test('a length shorter than the body is refused, and the rest is not parsed as a second request', async () => {
    const server = await kitServer([measuring('/usual')])
    const connection = openRaw(server.url)
    const headers = [`X-API-Key: ${testKey}`, 'Content-Type: application/json', 'Content-Length: 5']
    connection.send(requestHead('POST /api/v1/usual', headers) + JSON.stringify({ text: 'abc' }))
    const received = await connection.closed
    expect(received).toMatch(/^HTTP\/1\.1 4(00|22) /)
    expect(received).not.toContain('HTTP/1.1 2')
  })
})
