import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { type RawAnswer, requestHead, sendRaw } from '../../support/http/raw-http.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const outside = await mkdtemp(join(tmpdir(), 'yardmaster-dashboard-'))
const folder = join(outside, 'dist')
afterAll(() => rm(outside, { recursive: true, force: true }))

const files: Record<string, string> = {
  'index.html': '<!doctype html><title>the dashboard</title>',
  'index.html.br': 'page as brotli',
  'index.html.gz': 'page as gzip',
  'sw.js': 'the service worker',
  'icon.svg': '<svg/>',
  'app.webmanifest': '{}',
  '.build-stamp': 'secret',
  'manifest.json': '{}',
  'notes.txt': 'not for browsers',
  'assets/index-Ab_3-xYz.js': 'console.log("0123456789")',
  'assets/index-Ab_3-xYz.js.br': 'as brotli',
  'assets/plain-Ab_3-xYz.css': 'a{}',
}

async function build(target: string, more: Record<string, string> = {}): Promise<void> {
  for (const [path, content] of Object.entries({ ...files, ...more })) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await writeFile(join(target, path), content)
  }
}

const app = testApp({ environment: { ROLE: 'web' }, dashboardFolder: folder })
const ask = (target: string, headers: string[] = []) => sendRaw(app.url, requestHead(target, headers))
const html = 'Accept: text/html,application/xhtml+xml'
const script = 'GET /assets/index-Ab_3-xYz.js'
const isPage = ({ status, text }: RawAnswer) => status === 200 && text.includes('<title>the dashboard</title>')

test('while the dashboard is being built, its address shows a page that says so and loads again', async () => {
  for (const target of ['GET /', 'GET /sessions/1']) {
    const { status, text, headers } = await ask(target, [html])
    expect(status).toBe(200)
    expect(text).toContain('The dashboard is being built')
    expect(text).toContain('<meta http-equiv="refresh" content="3">')
    expect(headers['cache-control']).toBe('no-store')
  }
})

test.each([
  ['/quotas', '/inference'],
  ['/outcomes/stats', '/outcomes'],
  ['/issues?repo=acme%2Fyard', '/backlog?repo=acme%2Fyard'],
  ['/settings/api_keys', '/supervisor/api_keys'],
  ['/triggers/7/edit', '/triggers/7?tab=edit'],
  ['/quotas?runtime=runtime_beta', '/inference?runtime=runtime_beta'],
  ['/sessions', '/'],
  ['/connectors/team%20mail', '/connectors?find=team%20mail'],
  ['/connectors/secret-store', '/connectors'],
  ['/sessions?q=a%20b&category=3&next=//evil.test/', '/?q=a%20b&category=3&next=//evil.test/'],
])('GET %s redirects to %s', async (former, current) => {
  const { status, headers } = await ask(`GET ${former}`, [html])
  expect([status, headers.location]).toEqual([302, current])
})

describe('the built dashboard', () => {
  beforeAll(async () => {
    await writeFile(join(outside, 'secret.html'), 'outside')
    await build(`${folder}.next`)
    await symlink(join(outside, 'secret.html'), join(`${folder}.next`, 'link.html'))
    await symlink(outside, join(`${folder}.next`, 'assets/up'))
    await rename(`${folder}.next`, folder)
    await eventually(() => ask('GET /', [html]), isPage)
  })

  test('a build that appears after the start is shown, and one that replaces it too', async () => {
    expect((await ask('GET /')).text).toBe(files['index.html'])
    await build(`${folder}.next`, { 'index.html': '<title>the dashboard</title> second' })
    await rename(folder, `${folder}.old`)
    await rename(`${folder}.next`, folder)
    await eventually(
      () => ask('GET /'),
      ({ text }) => text.endsWith('second'),
    )
    await rm(folder, { recursive: true })
    await rename(`${folder}.old`, folder)
    await eventually(
      () => ask('GET /'),
      ({ text }) => text === files['index.html'],
    )
  })

  test('the page comes with a strict policy and is checked again at each load', async () => {
    const { headers } = await ask('GET /', [html])
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types yardmaster",
    )
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test('files whose names change with their content are kept for a year, all others are checked again', async () => {
    const cached = async (target: string) => (await ask(target)).headers['cache-control']
    expect(await cached(script)).toBe('public, max-age=31536000, immutable')
    expect(await cached('GET /assets/plain-Ab_3-xYz.css')).toBe('public, max-age=31536000, immutable')
    for (const path of ['/', '/index.html', '/sw.js', '/icon.svg', '/app.webmanifest'])
      expect(await cached(`GET ${path}`), path).toBe('no-cache')
    expect((await ask('GET /sw.js')).headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': expect.stringContaining("connect-src 'self'"),
    })
  })

  test.each([
    ['br, gzip', 'br', 'page as brotli'],
    ['gzip', 'gzip', 'page as gzip'],
    ['gzip;q=1, br;q=0', 'gzip', 'page as gzip'],
    ['*', 'br', 'page as brotli'],
    ['identity', undefined, files['index.html']],
    ['br;q=0, *;q=0', undefined, files['index.html']],
    ['deflate, zstd', undefined, files['index.html']],
  ])('a browser that accepts %j gets the page as %s', async (accepted, encoding, text) => {
    const answer = await ask('GET /', [`Accept-Encoding: ${accepted}`])
    expect([answer.status, answer.headers['content-encoding'], answer.text]).toEqual([200, encoding, text])
    expect(answer.headers.vary).toBe('Accept-Encoding')
  })

  test('a file without compressed copies is sent as it is', async () => {
    const { headers, text } = await ask('GET /assets/plain-Ab_3-xYz.css', ['Accept-Encoding: br, gzip'])
    expect([headers['content-encoding'], text]).toEqual([undefined, 'a{}'])
  })

  test('If-None-Match answers 304 for the same content in the same encoding only', async () => {
    const plain = (await ask('GET /')).headers.etag
    const packed = (await ask('GET /', ['Accept-Encoding: br'])).headers.etag
    expect(plain).not.toBe(packed)
    const known = await ask('GET /', [`If-None-Match: ${plain}`])
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', plain])
    expect((await ask('GET /', [`If-None-Match: "x", W/${plain}`])).status).toBe(304)
    expect((await ask('GET /', [`If-None-Match: ${plain}`, 'Accept-Encoding: br'])).status).toBe(200)
  })

  test('HEAD answers with the headers of GET and without a body', async () => {
    const headers = { accept: 'text/html', 'accept-encoding': 'identity' }
    for (const path of ['/', '/sessions/1', '/assets/index-Ab_3-xYz.js']) {
      const [head, get] = [await app.send(path, { method: 'HEAD', headers }), await app.send(path, { headers })]
      expect([head.status, await head.text()]).toEqual([200, ''])
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control'])
        expect(head.headers.get(name), name).toBe(get.headers.get(name))
    }
  })

  test('Range answers a part of the plain content, and 416 beyond its end', async () => {
    const part = await ask(script, ['Range: bytes=0-6', 'Accept-Encoding: br'])
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, 'console', 'bytes 0-6/25'])
    expect(part.headers).not.toHaveProperty('content-encoding')
    expect((await ask(script, ['Range: bytes=-2'])).text).toBe('")')
    const beyond = await ask(script, ['Range: bytes=99-'])
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */25'])
    expect((await ask(script, ['Range: bytes=0-1,4-5'])).status).toBe(200)
    expect((await ask(script, ['Range: bytes=0-6', 'If-Range: "another"'])).status).toBe(200)
  })

  test('an address that may be one of its pages gets the page, for a browser only', async () => {
    for (const path of ['/sessions/1', '/inbox', '/board?view=touched', '/sessions/a%20b', '/sessions/%C3%A9'])
      expect(isPage(await ask(`GET ${path}`, [html])), path).toBe(true)
    for (const path of ['/sessions/1', '/inbox']) {
      expect((await ask(`GET ${path}`)).status, path).toBe(404)
      expect((await ask(`POST ${path}`, [html, 'Content-Length: 0'])).status, path).toBe(404)
    }
  })

  test('a file that does not exist is answered 404, not with the page', async () => {
    for (const path of ['/assets/index-older000.js', '/favicon.ico', '/assets/', '/assets/x', '/robots.txt'])
      expect((await ask(`GET ${path}`, [html])).status, path).toBe(404)
  })

  test('what is no part of a page is not served: notes, stamps, the list of the build, compressed copies by name', async () => {
    for (const path of [
      '/.build-stamp',
      '/manifest.json',
      '/notes.txt',
      '/index.html.br',
      '/assets/index-Ab_3-xYz.js.br',
    ])
      expect((await ask(`GET ${path}`)).status, path).toBe(404)
  })

  test('links in the folder lead nowhere', async () => {
    for (const path of ['/link.html', '/assets/up/secret.html', '/assets/up']) {
      const answer = await ask(`GET ${path}`)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.text).not.toContain('outside')
    }
  })

  test.each([
    '/../secret.html',
    '/assets/../../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/assets/..%2f..%2fsecret.html',
    '/%252e%252e/secret.html',
    '/..%5csecret.html',
    '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd',
    '/index.html%00.js',
    '/index.html/',
    '//index.html',
    '/./index.html',
    '/%69ndex.html/../../secret.html',
    '/..',
    '/.',
    '/%2e%2e',
    '//evil.test/',
    '/%zz',
  ])('%s leads to no file', async (path) => {
    for (const accept of [html, 'Accept: */*']) {
      const answer = await ask(`GET ${path}`, [accept])
      expect(answer.status).toBe(404)
      expect(answer.text).not.toMatch(/outside|root:/)
    }
  })

  test('addresses of other parts of the server are answered by them, never with the page', async () => {
    const statuses: [string, number][] = [
      ['/api', 401],
      ['/api/v1/nothing', 401],
      ['/web', 401],
      ['/web/v1/nothing', 401],
      ['/web/session', 401],
      ['/jobs/nothing', 401],
      ['/supervisor', 401],
      ['/supervisor/nothing', 401],
      ['/docs/nothing', 404],
      ['/up/nothing', 404],
      ['/health/nothing', 404],
      ['/mcp/nothing', 404],
      ['/metrics', 404],
      ['/openapi.json', 404],
      ['/.well-known/x', 404],
      ['/%61pi/v1/nothing', 404],
      ['/%77eb/nothing', 404],
      ['/docs', 200],
      ['/up', 200],
    ]
    for (const [path, status] of statuses) {
      const answer = await ask(`GET ${path}`, [html])
      expect([path, answer.status, isPage(answer)]).toEqual([path, status, false])
    }
    expect((await ask('GET /api/v1/nothing', [html, `X-API-Key: ${testKey}`])).status).toBe(404)
  })

  test('another host name gets neither the page nor a file', async () => {
    for (const target of ['GET /', script, 'GET /sessions/1'])
      expect((await ask(target, [html, 'Host: evil.test'])).status).toBe(421)
  })
})
