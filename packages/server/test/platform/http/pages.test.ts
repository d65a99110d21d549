import { describe, expect, test } from 'vitest'
import { html } from '../../../src/platform/html/html.ts'
import { registerPageKit, sendPage } from '../../../src/platform/http/pages.ts'
import { openHttpServer } from '../../../src/platform/http/server.ts'
import { refuse } from '../../../src/platform/refusal.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const page = { config: { auth: 'none', isPage: true } } as const
const navigation = { accept: 'text/html,*/*;q=0.8', host: 'localhost' }

function pageServer() {
  const server = openHttpServer({
    log: silentLog,
    checkers: { api_key: () => refuse('unauthorized', 'No') },
    hosts: [],
  })
  registerPageKit(server)
  server.get('/hello', page, (_request, reply) => sendPage(reply, { title: 'Hello', body: html`<p>there</p>` }))
  server.get('/refused', page, () => refuse('validation_failed', 'Name <b> is wrong'))
  server.post('/act', page, async () => ({ done: true }))
  return server
}

describe('a page', () => {
  test('a page has a policy that allows its stylesheet and its own forms and no script', async () => {
    const answer = await pageServer().inject({ url: '/hello', headers: navigation })
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    const [, href] = /<link rel="stylesheet" href="([^"]+)">/.exec(answer.body) ?? []
    const sheet = await pageServer().inject({ url: href ?? '', headers: navigation })
    expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8')
    expect(sheet.body).toContain('prefers-color-scheme: dark')
    // Breaking anywhere lets a phone squeeze every column of a table to a few letters.
    expect(/^td \{.*$/m.exec(sheet.body)?.[0]).toContain('overflow-wrap: break-word')
  })

  test('a page refuses with a page when a person asks, and with JSON when a program does', async () => {
    const server = pageServer()
    const seen = await server.inject({ url: '/refused', headers: navigation })
    expect(seen).toMatchObject({ statusCode: 422, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(seen.body).toContain('Name &#60;b&#62; is wrong')
    const read = await server.inject({ url: '/refused', headers: { ...navigation, accept: '*/*' } })
    expect(read.json()).toMatchObject({ error: 'Validation failed', messages: ['Name <b> is wrong'] })
  })

  test('an address without a page is a 404 page for a person, and JSON below /api', async () => {
    const server = pageServer()
    const seen = await server.inject({ url: '/nothing', headers: navigation })
    expect([seen.statusCode, seen.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    const read = await server.inject({ url: '/api/v1/nothing', headers: navigation })
    expect([read.statusCode, read.headers['content-type']]).toEqual([401, 'application/json; charset=utf-8'])
  })

  test('a page takes a form of its own server only, also behind a proxy that ends TLS', async () => {
    const post = async (headers: Record<string, string>) =>
      (await pageServer().inject({ method: 'POST', url: '/act', headers: { host: 'localhost', ...headers } }))
        .statusCode
    expect(await post({})).toBe(200)
    expect(await post({ origin: 'https://localhost' })).toBe(200)
    expect(await post({ 'sec-fetch-site': 'same-origin', origin: 'null' })).toBe(200)
    expect(await post({ origin: 'https://evil.test' })).toBe(403)
    expect(await post({ 'sec-fetch-site': 'cross-site', origin: 'https://localhost' })).toBe(403)
  })
})
