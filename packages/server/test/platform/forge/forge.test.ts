import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openForge } from '../../../src/platform/forge/forge.ts'
import { RemoteFailed } from '../../../src/platform/remote-failed.ts'
import { type ForgeServer, startForgeServer } from '../../support/remote/forge-server.ts'

let server: ForgeServer
beforeAll(async () => {
  server = await startForgeServer()
})
afterAll(() => server.close())

const options = () => ({
  token: server.environment.FORGE_TOKEN ?? '',
  apiUrl: server.url,
  delaysMs: { failed: [1, 3], incomplete: [1, 2] },
})
const client = () => openForge(options())
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
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toEqual(first)
    server.unlabel(item, 'Hold')
    expect(await client().labelledBy('acme/labels', item.number, 'hold')).toBeUndefined()
    server.label(item, 'Hold')
    const second = await client().labelledBy('acme/labels', item.number, 'hold')
    expect(second?.eventId).toBeGreaterThan(first?.eventId ?? 0)
    server.closeItem(item)
    server.reopen(item)
    const third = await client().labelledBy('acme/labels', item.number, 'hold')
    expect(third?.eventId).toBeGreaterThan(second?.eventId ?? 0)
  })

  test('the forge client finds the addition of a label after more than a thousand other events, in two requests', async () => {
    const item = server.open('acme/busy')
    for (let number = 0; number < 1150; number += 1) server.label(item, `other-${number}`)
    server.label(item, 'hold')
    const before = server.requests.length
    const { events } = item
    expect(await client().labelledBy('acme/busy', item.number, 'hold')).toMatchObject({ eventId: events.at(-1)?.id })
    expect(server.requests.slice(before).map(({ input }) => input.page)).toEqual(['1', '12'])
  })

  test('the forge client reads at most eleven pages of events, whatever number of pages the forge claims', async () => {
    const item = server.open('acme/endless')
    const event = { id: 1, event: 'mentioned', created_at: '2026-01-01T00:00:00Z' }
    const headers = { link: `<http://elsewhere.test/?page=99999999>; rel="last"` }
    server.next((route) => route.endsWith('/events'), { body: [event], headers })
    const before = server.requests.length
    expect(await client().labelledBy('acme/endless', item.number, 'hold')).toBeUndefined()
    expect(server.requests.length - before).toBe(11)
  })

  test.each([
    ['a page of HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' }],
    ['JSON of another shape', { body: { items: 7 } }],
    ['a redirect to another host', { status: 302, headers: { location: 'http://127.0.0.1:9/user' }, body: {} }],
    ['an answer that never ends', 'endless'],
    ['an answer that drips', 'drip'],
  ] as const)('the forge client reports %s as a failure of the forge', async (_about, reply) => {
    const broken = await startForgeServer()
    broken.next(() => true, reply, reply, reply)
    const forge = openForge({ ...options(), apiUrl: broken.url, timeoutMs: 1000 })
    await expect(forge.search({ kind: 'issue', repos: ['acme/web'] })).rejects.toBeInstanceOf(RemoteFailed)
    await broken.close()
  })

  test('the forge client does not send its token to the host of a redirect', async () => {
    const elsewhere = await startForgeServer()
    server.next(
      isSearch,
      ...Array(3).fill({ status: 307, headers: { location: `${elsewhere.url}/search/issues` }, body: {} }),
    )
    await expect(client().search({ kind: 'issue', repos: ['acme/web'] })).rejects.toThrow('redirect to another host')
    expect(elsewhere.requests).toEqual([])
    await elsewhere.close()
  })

  test('the forge client follows a redirect to the same host, as for a repository that was renamed', async () => {
    server.next(isSearch, { status: 301, headers: { location: '/user' }, body: {} })
    server.next((route) => route === 'GET /user', { body: { incomplete_results: false, items: [] } })
    expect(await client().search({ kind: 'issue', repos: ['acme/web'] })).toEqual([])
  })

  test.each([
    ['seconds', '120', 120],
    ['a billion seconds', '1000000000', 1_000_000_000],
    ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 1],
    ['no number', 'soon', 60],
  ])('the forge client reads a delay given as %s', async (_about, delay, seconds) => {
    server.throttle(isSearch, { 'retry-after': delay }, 429)
    const search = client().search({ kind: 'issue', repos: ['acme/web'] })
    await expect(search).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: seconds })
  })

  test('the forge client cuts an error page short', async () => {
    server.next(isSearch, { status: 422, body: { message: 'x'.repeat(100_000) } })
    const failure = await client()
      .search({ kind: 'issue', repos: ['acme/web'] })
      .catch((error: Error) => error)
    expect(String(failure).length).toBeLessThan(600)
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
