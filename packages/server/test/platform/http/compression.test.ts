import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeAll(async () => {
  await insertSessions(
    app.pool,
    Array.from({ length: 30 }, (_, n) => ({ title: `session ${n}` })),
  )
})

type Received = { status: number; headers: IncomingHttpHeaders; bytes: Buffer }

/**
 * Not `fetch`, which decompresses and says nothing about it. Each request has a connection of its own: on a busy machine the server may
 * close an idle one in the moment in which it is used again.
 */
function receive(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  return new Promise((resolve, reject) => {
    const own = { agent: false, method, headers: { 'x-api-key': testKey, ...headers } }
    const request = httpRequest(`${app.url}${path}`, own)
    request.on('error', reject).on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) })
    })
    request.end()
  })
}

const list = '/api/v1/sessions?per_page=30'
const gzip = { 'accept-encoding': 'gzip, deflate, br' }

describe('an answer of JSON above 1 KB', () => {
  test('an answer of JSON above 1 KB is compressed for a caller that accepts gzip, and is the same JSON', async () => {
    const [plain, compressed] = [await receive(list), await receive(list, gzip)]
    expect([plain.headers['content-encoding'], compressed.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(JSON.parse(gunzipSync(compressed.bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()))
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length))
    expect([plain.headers.vary, compressed.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding'])
    expect(compressed.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test.each([
    ['gzip', true],
    ['GZIP', true],
    ['br, gzip;q=0.5', true],
    ['*', true],
    ['gzip;q=1.0, identity;q=0.5', true],
    ['identity;q=0, gzip', true],
    ['', false],
    ['br', false],
    ['identity', false],
    ['gzip;q=0', false],
    ['*, gzip;q=0', false],
    ['*;q=0', false],
    ['identity, gzip;q=0.5', false],
    ['gzip;q=nonsense', false],
    ['gzipped', false],
    [`${'x,'.repeat(4000)}gzip`, true],
  ])('an answer of JSON above 1 KB follows Accept-Encoding (%.40s)', async (accepted, isCompressed) => {
    const { status, headers } = await receive(list, { 'accept-encoding': accepted })
    expect([status, headers['content-encoding']]).toEqual([200, isCompressed ? 'gzip' : undefined])
  })

  test.each([
    ['cross-site', undefined],
    ['same-site', undefined],
    ['same-origin', 'gzip'],
    ['none', 'gzip'],
  ])('an answer of JSON above 1 KB to a browser whose request is %s has the encoding %s', async (site, encoding) => {
    const { headers } = await receive(list, { ...gzip, 'sec-fetch-site': site })
    expect(headers['content-encoding']).toBe(encoding)
  })

  test('HEAD answers with the headers of the compressed answer and without its body', async () => {
    const [get, head] = [await receive(list, gzip), await receive(list, gzip, 'HEAD')]
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    for (const name of ['content-encoding', 'vary', 'content-type', 'content-length'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
  })
})

test('a compressed answer has the tag of the plain one, which is answered 304', async () => {
  const tagged = '/api/v1/configs'
  const [plain, compressed] = [await receive(tagged), await receive(tagged, gzip)]
  expect([compressed.headers['content-encoding'], compressed.headers.etag]).toEqual(['gzip', plain.headers.etag])
  for (const tag of [`${plain.headers.etag}`, `W/${plain.headers.etag}`]) {
    const known = await receive(tagged, { ...gzip, 'if-none-match': tag })
    expect([known.status, known.bytes.length, known.headers['content-encoding']]).toEqual([304, 0, undefined])
    expect([known.headers.etag, known.headers.vary]).toEqual([plain.headers.etag, 'Accept-Encoding'])
  }
})

describe('what is not compressed', () => {
  test.each([
    ['/api/v1/categories', 200],
    ['/api/v1/nothing', 404],
    ['/up', 200],
  ])('the short answer to GET %s is not compressed', async (path, expected) => {
    const { status, headers } = await receive(path, gzip)
    expect([status, headers['content-encoding'], headers.vary]).toEqual([expected, undefined, 'Accept-Encoding'])
  })

  test('the event stream is not compressed', async () => {
    const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
      const request = httpRequest(`${app.url}/api/v1/events`, { headers: { 'x-api-key': testKey, ...gzip } })
      request.on('error', reject).on('response', (response) => {
        resolve(response.headers)
        request.destroy()
      })
      request.end()
    })
    expect([headers['content-type'], headers['content-encoding']]).toEqual(['text/event-stream', undefined])
  })

  test.each(['/docs', '/docs/reference.css'])('%s is not compressed', async (path) => {
    const { status, headers } = await receive(path, gzip)
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, undefined])
  })
})
