import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openForge } from '../../../src/platform/forge/forge.ts'
import { type ForgeServer, startForgeServer } from '../../support/remote/forge-server.ts'

let server: ForgeServer
beforeAll(async () => {
  server = await startForgeServer()
})
afterAll(() => server.close())

const client = ({ token = server.environment.FORGE_TOKEN ?? '' } = {}) =>
  openForge({ token, apiUrl: server.url, delaysMs: { failed: [1, 3], incomplete: [1, 2] } })
const isSearch = (route: string): boolean => route === 'GET /search/issues'

describe('the forge client', () => {
  test('the forge client searches several repositories in one request and reads every page', async () => {
    for (let number = 0; number < 130; number += 1) server.open('acme/api', { labels: ['Ready to merge'] })
    server.open('acme/web', { labels: ['ready to merge'] })
    server.open('acme/other', { labels: ['ready to merge'] })
    const before = server.requests.length
    const found = await client().search({
      kind: 'issue',
      repos: ['acme/api', 'acme/web'],
      labels: ['ready to merge', 'a, b'],
      isOpen: true,
    })
    expect(found).toHaveLength(131)
    expect(server.requests.length - before).toBe(2)
    expect(found.find(({ repo }) => repo === 'acme/web')).toMatchObject({ number: 1, author: 'ada', isOpen: true })
  })

  test('the forge client retries an incomplete result twice and then refuses it', async () => {
    const search = { kind: 'issue', repos: ['acme/web'] } as const
    server.searchIncompletely(2)
    expect(await client().search(search)).toHaveLength(1)
    server.searchIncompletely(3)
    await expect(client().search(search)).rejects.toMatchObject({ kind: 'incomplete' })
  })

  test.each([
    ['a server error', { status: 502, body: { message: 'Bad gateway' } }],
    ['a refused token, which may be a late replica', { status: 401, body: { message: 'Bad credentials' } }],
    ['a cut connection', 'cut'],
  ] as const)('the forge client retries %s twice', async (_about, reply) => {
    server.next(isSearch, reply, reply)
    expect(await client().search({ kind: 'issue', repos: ['acme/web'] })).toHaveLength(1)
  })

  test.each([
    ['a rate limit that names its reset', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }],
    ['a secondary limit that names a delay', 403, { 'retry-after': '42' }],
    ['429', 429, { 'retry-after': '42' }],
  ])('the forge client reports %s without a retry', async (_about, status, headers) => {
    server.throttle(isSearch, headers as Record<string, string>, status)
    const before = server.requests.length
    const failure = await client()
      .search({ kind: 'issue', repos: ['acme/web'] })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'throttled', retryAfterSeconds: expect.any(Number) })
    expect(server.requests.length - before).toBe(1)
  })

  test('the forge client does not retry a refusal', async () => {
    server.next(isSearch, { status: 422, body: { message: 'Validation Failed' } })
    const before = server.requests.length
    await expect(client().search({ kind: 'issue', repos: ['acme/gone'] })).rejects.toMatchObject({
      kind: 'refused',
      message: 'Validation Failed (HTTP 422)',
    })
    expect(server.requests.length - before).toBe(1)
  })

  test('the forge client lists the issues since a time without the search index', async () => {
    server.open('acme/late', { at: new Date('2026-01-01T00:00:00Z') })
    const late = server.open('acme/late', { isIndexedLate: true })
    server.open('acme/late', { kind: 'pull_request' })
    expect(await client().search({ kind: 'issue', repos: ['acme/late'], createdSince: late.createdAt })).toEqual([])
    const listed = await client().issuesSince('acme/late', new Date(Date.now() - 60_000))
    expect(listed.map(({ number }) => number)).toEqual([late.number])
  })

  test('the forge client finds the event by which a label came to stand on an item', async () => {
    const item = server.open('acme/labels')
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toBeUndefined()
    server.label(item, 'Hold')
    const first = await client().labelledBy('acme/labels', item.number, 'hold')
    server.label(item, 'other')
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toBe(first)
    server.unlabel(item, 'Hold')
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toBeUndefined()
    server.label(item, 'Hold')
    const second = await client().labelledBy('acme/labels', item.number, 'hold')
    expect(second).toBeGreaterThan(first ?? 0)
    server.closeItem(item)
    server.reopen(item)
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toBeGreaterThan(second ?? 0)
  })

  test('the forge client shows a pull request as open, conflicting, merged, or unknown while the forge computes it', async () => {
    const item = server.open('acme/pulls', { kind: 'pull_request' })
    expect(await client().pullRequest('acme/pulls', item.number)).toMatchObject({ state: 'open', hasConflict: false })
    server.setMergeable(item, null)
    expect((await client().pullRequest('acme/pulls', item.number))?.hasConflict).toBeUndefined()
    server.setMergeable(item, false)
    expect((await client().pullRequest('acme/pulls', item.number))?.hasConflict).toBe(true)
    server.merge(item)
    expect((await client().pullRequest('acme/pulls', item.number))?.state).toBe('merged')
    expect(await client().pullRequest('acme/pulls', 999)).toBeUndefined()
  })

  test('the forge client cuts the text of an item to 10,000 characters and keeps what cannot be stored out of it', async () => {
    const item = server.open('acme/long', { body: `\0${'\u{1F600}'.repeat(10_500)}` })
    const [found] = await client().search({ kind: 'issue', repos: ['acme/long'] })
    expect(Array.from(found?.body ?? '')).toHaveLength(10_000)
    expect(found?.body.startsWith('\uFFFD\u{1F600}')).toBe(true)
    expect(found?.url).toBe(server.urlOf(item))
  })

  test('the forge client knows the account of its token, and that a token may have none', async () => {
    expect(await client().account()).toBe('yard-bot')
    server.next((route) => route === 'GET /user', { status: 403, body: { message: 'Resource not accessible' } })
    expect(await client().account()).toBeUndefined()
  })
})
