import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { count, entryHelpers, says } from '../../support/sessions/entries.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const { sessionWith, page, sequences } = entryHelpers(app)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('GET /sessions/:id/entries answers 200 with a page', () => {
  let id = 0
  beforeAll(async () => {
    id = await sessionWith(count(205))
  })

  test('GET /sessions/:id/entries answers 200 with the last 200 entries in order unless a place is named', async () => {
    expect(await sequences(id)).toEqual({ entries: range(6, 205), first: 6, last: 205, total: 205 })
  })

  test.each([
    ['?before=100&limit=3', range(97, 99)],
    ['?before=2', [1]],
    ['?after=100&limit=3', range(101, 103)],
    ['?after=204', [205]],
    ['?around=100&limit=5', range(98, 102)],
    ['?around=1&limit=4', [1, 2]],
    ['?around=205&limit=4', [203, 204, 205]],
    ['?limit=1', [205]],
    ['?limit=0&after=0', [1]],
    ['?limit=-7&after=0', [1]],
    ['?limit=9999&after=0', range(1, 205)],
    ['?limit=x&after=200', range(201, 205)],
    ['?before=&after=&around=&limit=2', [204, 205]],
  ])('GET /sessions/:id/entries%s answers 200 with the entries at that place', async (query, entries) => {
    expect(await sequences(id, query)).toEqual({ entries, first: entries[0], last: entries.at(-1), total: 205 })
  })

  test.each(['?before=0', '?before=1', '?after=205', '?after=999999999999999', '?around=999999&limit=1'])(
    'GET /sessions/:id/entries%s answers 200 with an empty page where the thread has no entries',
    async (query) => {
      expect(await page(id, query)).toEqual({ entries: [], first: null, last: null, total: 205 })
    },
  )

  test('GET /sessions/:id/entries answers 200 with an empty page for a session that has said nothing yet', async () => {
    const id = await insertSession(app.pool)
    expect(await page(id)).toEqual({ entries: [], first: null, last: null, total: 0 })
  })

  test('GET /sessions/:id/entries answers 200 for a slug, and for the thread of a subagent', async () => {
    const id = await sessionWith(count(3), { slug: 'paged-session' })
    await insertTranscript(app.pool, id, [JSON.stringify(says('from below'))], 'agent-1')
    expect((await app.get('/sessions/paged-session/entries?thread=agent-1')).body).toMatchObject({
      entries: [{ sequence: 1, parts: [{ text: 'from below' }] }],
      total: 1,
    })
  })

  test('GET /sessions/:id/entries answers 200 with fewer entries if they hold more than 4 MB, but at least one', async () => {
    const full = await sessionWith(Array.from({ length: 4 }, () => says('x'.repeat(1_500_000))))
    expect([(await sequences(full)).entries, (await sequences(full, '?after=0')).entries]).toEqual([
      [3, 4],
      [1, 2],
    ])
    const large = await sessionWith([says('x'.repeat(5_000_000)), says('short')])
    expect((await sequences(large, '?after=0')).entries).toEqual([1])
  })

  test('GET /sessions/:id/entries answers 200 and changes nothing', async () => {
    const id = await sessionWith(count(3))
    await changesNothing(app.pool, () => app.get(`/sessions/${id}/entries`))
  })
})

describe('GET /sessions/:id/entries refuses', () => {
  test.each([
    ['?before=-1', 'Before must be a whole number of 0 or more'],
    ['?after=1.5', 'After must be a whole number of 0 or more'],
    ['?around=99999999999999999999', 'Around must be a whole number of 0 or more'],
    ['?around=x', 'Around must be a whole number of 0 or more'],
    ['?before=3&after=1', 'After cannot be given together with before'],
    ['?after=3&around=1', 'Around cannot be given together with after'],
    ['?thread=a%00b', 'Thread must not hold a NUL character'],
    ['?thread=a&thread=b', 'Thread must be a string'],
  ])('GET /sessions/:id/entries%s answers 422 with a sentence', async (query, sentence) => {
    const id = await sessionWith(count(2))
    expectProblem(await app.get(`/sessions/${id}/entries${query}`), 422, 'Invalid parameter', sentence)
  })

  test('GET /sessions/:id/entries answers 404 for a thread of another session and for an unknown one', async () => {
    const id = await sessionWith(count(2))
    const other = await sessionWith(count(2))
    await insertTranscript(app.pool, other, [JSON.stringify(says('secret'))], 'agent-of-other')
    for (const path of [
      'entries?thread=agent-of-other',
      'entries?thread=..',
      'entries/1/parts/0?thread=agent-of-other',
    ])
      expectProblem(await app.get(`/sessions/${id}/${path}`), 404, 'Not Found')
  })

  test.each([
    '3/parts/0',
    '1/parts/1',
    '0/parts/0',
    '1/parts/-1',
    '999999999999999/parts/0',
    '1/parts/999999999999999',
    '-1/parts/0',
    'x/parts/0',
    '1/parts/%00',
  ])('GET /sessions/:id/entries/%s answers 404 for a part that does not exist', async (path) => {
    const id = await sessionWith(count(2))
    expectProblem(await app.get(`/sessions/${id}/entries/${path}`), 404, 'Not Found')
  })

  test.each(['999999', 'no-such-slug', '99999999999999999999', '%00'])(
    'GET /sessions/:id/entries answers 404 for the unknown session %s',
    async (id) => {
      expectProblem(await app.get(`/sessions/${id}/entries`), 404, 'Not Found')
      expectProblem(await app.get(`/sessions/${id}/entries/1/parts/0`), 404, 'Not Found')
    },
  )

  test('GET /sessions/:id/entries answers 401 without a key, and so does a part', async () => {
    const id = await sessionWith(count(2))
    for (const path of ['entries', 'entries/1/parts/0'])
      expect((await app.send(`/api/v1/sessions/${id}/${path}`)).status).toBe(401)
  })
})

test('GET /sessions/:id/entries answers 200 with the last page of 10,000 entries', async () => {
  const id = await sessionWith(count(10_000))
  expect(await sequences(id)).toMatchObject({ first: 9801, last: 10_000, total: 10_000 })
})
