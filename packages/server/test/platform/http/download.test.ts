import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { ok } from '../../../src/platform/http/answer.ts'
import { Download } from '../../../src/platform/http/download.ts'
import { defaultTimeouts } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'

const text = '0123456789'

async function fileServer(opened: unknown[] = [], error?: Error) {
  const endpoint = defineEndpoint({
    method: 'GET',
    path: '/file',
    tag: 'Test',
    summary: 'A file',
    answers: { 200: 'zip' },
    handle: async () =>
      ok(
        new Download({
          filename: 'file.zip',
          type: 'application/zip',
          sizeBytes: text.length,
          tag: 'v1',
          headers: { 'x-about': 'this' },
          open: (part) => {
            opened.push(part)
            if (error) return new Readable({ read: () => undefined }).destroy(error)
            return Readable.from([Buffer.from(text.slice(part.start, part.end))])
          },
        }),
      ),
  })
  const server = await kitServer([endpoint], { isChecking: true })
  return async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await server.send('/api/v1/file', { method, headers: { 'x-api-key': testKey, ...headers } })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

describe('a download', () => {
  test('a download is never compressed, whole or in part', async () => {
    const get = await fileServer()
    for (const range of ['', 'bytes=2-4']) {
      const answer = await get({ 'accept-encoding': 'gzip', range })
      expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([null, null])
      expect(text).toContain(answer.text)
    }
  })

  test('a download is an attachment with its size, its tag and its own headers', async () => {
    const get = await fileServer()
    const { status, headers, text: body } = await get()
    expect([status, body]).toEqual([200, text])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': '10',
      'content-disposition': 'attachment; filename="file.zip"',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: '"v1"',
      'x-about': 'this',
    })
  })

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['Bytes=8-9', '89', 'bytes 8-9/10'],
    ['bytes=8-', '89', 'bytes 8-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', text, 'bytes 0-9/10'],
  ])('a download answers the range %s with 206 and that part', async (range, part, contentRange) => {
    const get = await fileServer()
    const answer = await get({ range })
    expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([206, part, contentRange])
    expect(answer.headers.get('content-length')).toBe(String(part.length))
  })

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])(
    'a download refuses the range %s with 416 and its size',
    async (range) => {
      const get = await fileServer()
      const answer = await get({ range })
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
      expect(JSON.parse(answer.text)).toMatchObject({ error: 'Range not satisfiable' })
      expect(answer.headers.get('etag')).toBeNull()
    },
  )

  test.each(['bytes=1-2,4-5', 'lines=1-2', 'bytes=x', 'bytes=4-2', 'bytes=-'])(
    'a download ignores the range %s, which is not one range of bytes',
    async (range) => {
      const get = await fileServer()
      expect(await get({ range })).toMatchObject({ status: 200, text })
    },
  )

  test('a download is continued only from the same version', async () => {
    const get = await fileServer()
    expect(await get({ range: 'bytes=5-', 'if-range': '"v1"' })).toMatchObject({ status: 206, text: '56789' })
    expect(await get({ range: 'bytes=5-', 'if-range': '"v0"' })).toMatchObject({ status: 200, text })
  })

  test('a download is not opened for a caller that has it, and not for HEAD', async () => {
    const opened: unknown[] = []
    const get = await fileServer(opened)
    expect(await get({ 'if-none-match': '"v0", "v1"' })).toMatchObject({ status: 304, text: '' })
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '10', ''])
    expect((await get({ range: 'bytes=2-4' }, 'HEAD')).headers.get('content-length')).toBe('10')
    expect(opened).toEqual([])
  })

  test('a download that fails before its first byte is an error without the headers of the file', async () => {
    const get = await fileServer([], new Error('the disk is gone'))
    const { status, headers } = await get({ range: 'bytes=2-4' })
    expect(status).toBe(500)
    for (const name of ['etag', 'content-range', 'content-disposition', 'accept-ranges'])
      expect(headers.get(name)).toBeNull()
  })
  test('a caller that takes nothing of a download is disconnected, and what the download reads from is closed', async () => {
    let closed: (() => void) | undefined
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const endless = defineEndpoint({
      method: 'GET',
      path: '/endless',
      tag: 'Test',
      summary: 'A file',
      answers: { 200: 'zip' },
      handle: async () =>
        ok(
          new Download({
            filename: 'file.zip',
            type: 'application/zip',
            sizeBytes: 1e12,
            tag: 'v1',
            headers: {},
            open: () =>
              new Readable({
                read() {
                  this.push(Buffer.alloc(1024 * 1024))
                },
                destroy(error, done) {
                  closed?.()
                  done(error)
                },
              }),
          }),
        ),
    })
    const server = await kitServer([endless], { timeouts: { ...defaultTimeouts, stalledMs: 50 } })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET /api/v1/endless HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${testKey}\r\n\r\n`)
    await once(socket, 'readable')
    await isClosed
    socket.destroy()
  })
})
