import { wholePath } from '@yardmaster/contract/address'
import { describe, expect, test } from 'vitest'
import { hostNames } from '../../../src/platform/http/host-names.ts'
import { startTestApp, testApp, testKey } from '../../support/app/app.ts'
import { requestHead, sendRaw } from '../../support/http/raw-http.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const hostile = [
  'evil.test',
  'evil.test:3000',
  'localhost.evil.test',
  'evil.test:localhost',
  'localhost@evil.test',
  '127.0.0.1.evil.test',
  'localhost:3000:80',
  'localhost.',
  '127.1',
  '2130706433',
  '0.0.0.0',
  '[::]',
  '',
]

async function everyRoute(): Promise<string[]> {
  const document = await app.get('/openapi.json')
  const paths: Record<string, object> = document.body.paths
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${wholePath(path).replace(/\{\w+\}/g, '1')}`),
  )
  const beside = ['/api/v1/openapi.json', '/up', '/up/deep', '/docs', '/docs/reference.css', '/nothing', '/%zz', '/']
  return [...operations, ...beside.map((path) => `GET ${path}`)]
}

describe('an unknown host name', () => {
  test('an unknown host name answers 421 on every route, with or without a key, event streams included', async () => {
    for (const route of await everyRoute()) {
      const answer = await sendRaw(app.url, requestHead(route, ['Host: evil.test', `X-API-Key: ${testKey}`]))
      expect([route, answer.status, answer.body.error]).toEqual([route, 421, 'Misdirected request'])
    }
  })

  test.each(hostile)('the unknown host name %j is answered 421', async (host) => {
    const answer = await sendRaw(app.url, requestHead('GET /up', [`Host: ${host}`]))
    expect(answer.status).toBe(421)
    expect(answer.body.messages).toHaveLength(1)
    expect(answer.text).not.toContain('evil')
  })

  test('an unknown host name includes a missing Host header', async () => {
    for (const version of ['1.0', '1.1']) {
      const answer = await sendRaw(app.url, `GET /up HTTP/${version}\r\nConnection: close\r\n\r\n`)
      expect([version, answer.status, answer.body.error]).toEqual([version, 421, 'Misdirected request'])
    }
  })

  test('an unknown host name is taken from the Host header only, not from a forwarding header or the request line', async () => {
    const forwarded = ['Host: evil.test', 'X-Forwarded-Host: localhost', 'Forwarded: host=localhost']
    expect((await sendRaw(app.url, requestHead('GET /up', forwarded))).status).toBe(421)
    expect((await sendRaw(app.url, requestHead('GET http://localhost/up', ['Host: evil.test']))).status).toBe(421)
  })

  test('an unknown host name is refused before the key is checked', async () => {
    expect((await sendRaw(app.url, requestHead('GET /api/v1/sessions', ['Host: evil.test']))).status).toBe(421)
  })
})

describe('a request that names two hosts', () => {
  const bodies = [
    ['two Host headers', 'GET /up', ['Host: localhost', 'Host: evil.test']],
    ['two Host headers, the foreign one first', 'GET /up', ['Host: evil.test', 'Host: localhost']],
    ['the same Host header twice', 'GET /up', ['Host: localhost', 'host: localhost']],
    ['a foreign authority in the request line', 'GET http://evil.test/up', ['Host: localhost']],
    [
      'a foreign authority with a key',
      'GET http://evil.test/api/v1/sessions',
      ['Host: localhost', `X-API-Key: ${testKey}`],
    ],
    ['credentials in the request line', 'GET http://localhost@evil.test/up', ['Host: localhost']],
    ['another scheme in the request line', 'GET ws://evil.test/up', ['Host: localhost']],
    ['a foreign authority of an address without a route', 'GET http://evil.test/%zz', ['Host: localhost']],
  ] as const

  test.each(bodies)('a request that names two hosts is answered 400: %s', async (_name, route, headers) => {
    const answer = await sendRaw(app.url, `${route} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`)
    expect([answer.status, answer.body.error]).toEqual([400, 'Bad Request'])
    expect(answer.body.messages).toHaveLength(1)
  })

  test('a request that names two hosts is served when its request line names this server', async () => {
    for (const address of ['http://localhost/up', 'HTTP://LOCALHOST:3000/up', 'http://127.0.0.1/up'])
      expect((await sendRaw(app.url, requestHead(`GET ${address}`, ['Host: localhost']))).status).toBe(200)
  })
})

describe('a known host name', () => {
  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:3000', '[::1]', '[::1]:8080'])(
    'the known host name %s is accepted',
    async (host) => {
      expect((await sendRaw(app.url, requestHead('GET /up', [`Host: ${host}`]))).status).toBe(200)
    },
  )

  test('a known host name is the one in APP_HOST, in any case and with any port', async () => {
    const { app: named, stop } = await startTestApp({
      environment: { ROLE: 'web', APP_HOST: 'Yard.Example.com:8443' },
    })
    try {
      for (const host of ['yard.example.com', 'YARD.example.com:8443', 'yard.example.com:443', 'localhost']) {
        expect([host, (await sendRaw(named.url, requestHead('GET /up', [`Host: ${host}`]))).status]).toEqual([
          host,
          200,
        ])
      }
      const answer = await sendRaw(named.url, requestHead('GET /up', ['Host: example.com']))
      expect(answer.status).toBe(421)
    } finally {
      await stop()
    }
  })

  test('a known host name may be an IPv6 address in brackets', () => {
    for (const name of ['fd00::5', '[fd00::5]', '[fd00::5]:3000', 'FD00::5']) {
      const names = hostNames([name])
      expect([name, names.include('[fd00::5]:3000'), names.include('[fd00::5]')]).toEqual([name, true, true])
      expect([name, names.include('[fd00::6]'), names.include('fd00:'), names.include('fd00')]).toEqual([
        name,
        false,
        false,
        false,
      ])
    }
    for (const wildcard of ['::', '::1']) expect(hostNames([wildcard]).include(':')).toBe(false)
  })
})
