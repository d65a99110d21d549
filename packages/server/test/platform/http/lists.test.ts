import { queryBoolean } from '@yardmaster/contract/query'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { kitServer, listEndpoint } from '../../support/http/kit-server.ts'

const numbers = listEndpoint({
  path: '/numbers',
  tag: 'Test',
  summary: 'Count',
  key: 'numbers',
  item: z.int(),
  filters: z.object({
    is_even: queryBoolean({ default: false }),
    below: z.string().optional(),
  }),
  find: async ({ filters, page }) => {
    const below = Number(filters.below ?? 60)
    const all = Array.from({ length: below }, (_, index) => index).filter((n) => !filters.is_even || n % 2 === 0)
    const start = (page.page - 1) * page.perPage
    return { items: all.slice(start, start + page.perPage), totalCount: all.length }
  },
})

const list = async (query: string) => (await kitServer([numbers], { isChecking: true })).get(`/numbers${query}`)

describe('paging', () => {
  test('paging defaults to the first 25', async () => {
    const { body } = await list('')
    expect(body.numbers).toHaveLength(25)
    expect(body.pagination).toEqual({ page: 1, per_page: 25, total_count: 60, total_pages: 3 })
  })

  test('paging answers the requested page and counts the filtered items', async () => {
    expect((await list('?page=2&per_page=7')).body).toEqual({
      numbers: [7, 8, 9, 10, 11, 12, 13],
      pagination: { page: 2, per_page: 7, total_count: 60, total_pages: 9 },
    })
    expect((await list('?page=3&per_page=10&is_even=true')).body).toEqual({
      numbers: [40, 42, 44, 46, 48, 50, 52, 54, 56, 58],
      pagination: { page: 3, per_page: 10, total_count: 30, total_pages: 3 },
    })
  })

  test('past the end is an empty page with the true counts; an empty collection has 0 pages', async () => {
    expect((await list('?page=9')).body).toEqual({
      numbers: [],
      pagination: { page: 9, per_page: 25, total_count: 60, total_pages: 3 },
    })
    expect((await list('?below=0')).body.pagination).toEqual({ page: 1, per_page: 25, total_count: 0, total_pages: 0 })
  })

  test.each([
    ['page=0', 1, 25],
    ['page=-5', 1, 25],
    ['per_page=0', 1, 1],
    ['per_page=-1', 1, 1],
    ['per_page=101', 1, 100],
    ['per_page=1000000000000000000000000000000', 1, 100],
    ['page=2&per_page=100', 2, 100],
    ['page=', 1, 25],
    ['page=two&per_page=many', 1, 25],
    ['page=1.5&per_page=1e2', 1, 25],
    ['page=0x10&per_page=Infinity', 1, 25],
    ['page=+2&per_page=NaN', 1, 25],
    ['page=%2B2&per_page=010', 2, 10],
    ['page=%D9%A2', 1, 25],
  ])('the query %s asks for page %i with %i items', async (query, page, perPage) => {
    const { status, body } = await list(`?${query}`)
    expect([status, body.pagination.page, body.pagination.per_page]).toEqual([200, page, perPage])
  })

  test('a page number that is too large is an empty page, not an error', async () => {
    for (const page of ['9007199254740993', '9'.repeat(30), '9'.repeat(300)]) {
      const { status, body } = await list(`?page=${page}`)
      expect([status, body.numbers, Number.isSafeInteger(body.pagination.page * 100)]).toEqual([200, [], true])
    }
  })

  test('a repeated parameter is refused by its name', async () => {
    expectProblem(await list('?page=1&page=2'), 422, 'Invalid parameter', 'Page must be a string')
  })

  test.each(['page[]=3', 'page[a]=3', 'page%5B%5D=3', 'page[=3'])(
    'a parameter with brackets is refused by its name: %s',
    async (query) => {
      expectProblem(await list(`?${query}`), 422, 'Invalid parameter', 'Page must be one value, without brackets')
    },
  )

  test('a parameter that no endpoint has is ignored, also with brackets', async () => {
    expect((await list('?constructor[]=3&other[a]=4&[]=5')).status).toBe(200)
  })
})

describe('a boolean in a query', () => {
  test.each(['true', 't', '1', 'yes', 'y', 'on', 'TRUE', 'Yes'])('a boolean in a query: %s is true', async (word) => {
    expect((await list(`?is_even=${word}`)).body.pagination.total_count).toBe(30)
  })

  test.each(['false', 'f', '0', 'no', 'n', 'off', 'FALSE', ''])('a boolean in a query: %j is false', async (word) => {
    expect((await list(`?is_even=${word}`)).body.pagination.total_count).toBe(60)
  })

  test.each(['maybe', '2', 'tru', ' true', 'null', 'constructor', '__proto__', 'toString', 'true&is_even=true'])(
    'a boolean in a query: %j is refused',
    async (word) => {
      const answer = await list(`?is_even=${word}`)
      expect([answer.status, answer.body.error]).toEqual([422, 'Invalid parameter'])
      expect(answer.body.messages[0]).toMatch(/^Is even must be /)
    },
  )
})

describe('on the product', () => {
  const app = testApp({ environment: { ROLE: 'web' } })

  test('GET /sessions pages, clamps and reads booleans by the same rules', async () => {
    for (const slug of ['one-thing', 'another-thing', 'a-third-thing']) {
      expect((await app.post('/sessions', { git_root: '/tmp/none', slug })).status).toBe(201)
    }
    expect((await app.get('/sessions?per_page=2')).body.pagination).toEqual({
      page: 1,
      per_page: 2,
      total_count: 3,
      total_pages: 2,
    })
    expect((await app.get('/sessions?per_page=2&page=2')).body.sessions).toHaveLength(1)
    expect((await app.get(`/sessions?page=${'9'.repeat(30)}`)).body.sessions).toEqual([])
    expect((await app.get('/sessions?per_page=1000')).body.pagination.per_page).toBe(100)
    expect((await app.get('/sessions?show_archived=yes')).status).toBe(200)
    expectProblem(
      await app.get('/sessions?show_archived=perhaps'),
      422,
      'Invalid parameter',
      'Show archived must be true or false',
    )
  })

  test('a session is found by its id or its slug, and digits are never a slug', async () => {
    const { session } = (await app.post('/sessions', { git_root: '/tmp/none', slug: 'by-name' })).body
    expect((await app.get(`/sessions/${session.id}`)).body.session.slug).toBe('by-name')
    expect((await app.get('/sessions/by-name')).body.session.id).toBe(session.id)
    expect((await app.get(`/sessions/000${session.id}`)).body.session.id).toBe(session.id)
    for (const handle of [
      '0',
      '999999',
      '9'.repeat(15),
      '9'.repeat(30),
      '-1',
      '1.0',
      '1e0',
      'by',
      'BY-NAME',
      '%20',
      '..',
    ]) {
      expectProblem(await app.get(`/sessions/${handle}`), 404, 'Not Found', 'The requested resource was not found')
    }
  })

  test('GET /categories ignores paging parameters', async () => {
    await app.post('/categories', { name: 'A' })
    await app.post('/categories', { name: 'B' })
    const { body } = await app.get('/categories?page=2&per_page=1')
    expect(body.categories).toHaveLength(2)
    expect(body).not.toHaveProperty('pagination')
  })
})
