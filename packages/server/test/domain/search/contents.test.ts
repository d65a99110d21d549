import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, startTestApp, testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { indexAll } from '../../support/sessions/search-index.ts'
import { insertSession, insertSessions, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web', SERVICE_CONTENT_SEARCH_CHUNK_SIZE: '4' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'search_marks')
})

const search = (q: string, more = ''): Promise<Answer> =>
  app.get(`/sessions/search?search_contents=true&q=${encodeURIComponent(q)}${more}`)
const titlesOf = ({ body }: Answer): string[] => body.sessions.map(({ title }: { title: string }) => title)

/** Titles found before and after indexing; both must be equal. */
async function found(q: string, more = ''): Promise<string[]> {
  const before = await search(q, more)
  await indexAll(app)
  const after = await search(q, more)
  expect(after.body).toEqual(before.body)
  return titlesOf(after)
}

async function conversation(title: string, lines: readonly string[], thread = 'main'): Promise<number> {
  const id = await insertSession(app.pool, { title })
  await insertTranscript(app.pool, id, lines, thread)
  return id
}

const said = (text: string) => JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })

describe('a content search finds', () => {
  test('a content search finds text in title, metadata or transcript, and reports a complete scan', async () => {
    await insertSessions(app.pool, [
      { title: 'needle' },
      { title: 'meta', metadata: { k: 'needle' } },
      { title: 'none' },
    ])
    await conversation('talk', [said('hay'), said('a NEEDLE in it')])
    const answer = await search('needle')
    expect(titlesOf(answer)).toEqual(['talk', 'meta', 'needle'])
    expect({ ...answer.body, sessions: [] }).toEqual({
      query: 'needle',
      search_contents: true,
      sessions: [],
      pagination: { page: 1, per_page: 25, total_count: null, total_pages: null },
      content_scan: { complete: true, timed_out: false, scanned_sessions: 4, candidate_sessions: 4, next_cursor: null },
    })
    expect(await found('needle')).toHaveLength(3)
  })

  test('a content search finds the stored text as it is: escapes stay escapes, and spacing is as stored', async () => {
    await conversation('talk', [said('one\ntwo "quoted" 100% a_b c:\\dir')])
    expect(await found('one\\ntwo')).toEqual(['talk'])
    expect(await found('one\ntwo')).toEqual([])
    expect(await found('two \\"quoted\\" 100% A_B c:\\\\dir')).toEqual(['talk'])
    expect(await found('100_')).toEqual([])
    expect(await found('"type":"text"')).toEqual(['talk'])
    expect(await found('"type": "text"')).toEqual([])
  })

  test('a content search finds spaced JSON by a phrase typed without spaces', async () => {
    await conversation('talk', ['{"type": "user", "text": "a,b"}'])
    expect(await found('"type":"user","text"')).toEqual(['talk'])
    expect(await found('"text":"a,b"')).toEqual(['talk'])
  })

  test.each(['z', 'zq', '€', '{{', '日本'])('a content search finds the short phrase %j', async (phrase) => {
    await conversation('talk', [said(`so ${phrase} it is`)])
    await conversation('other', [said('nothing of it')])
    expect(await found(phrase)).toEqual(['talk'])
  })

  test('a content search finds text anywhere in a very long line, and in one of many lines', async () => {
    const filler = Array.from({ length: 9000 }, (_, n) => `word${n} 漢`).join(' ')
    await conversation('long', [said('first'), said(`${filler} THE END`)])
    for (const n of [0, 411, 412, 413, 4444, 8191, 8999])
      expect({ n, titles: await found(`word${n} 漢`) }).toEqual({ n, titles: ['long'] })
    expect(await found(filler.slice(30_000, 30_900))).toEqual(['long'])
    expect(await found(`${filler.slice(30_000, 30_900)}no`)).toEqual([])
    expect(await found('the end')).toEqual(['long'])
  })

  test('a content search finds a phrase across two adjacent lines, wherever the chunks were cut', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `line ${n} ${'x'.repeat(90)}`)
    await conversation('talk', lines)
    for (const n of [0, 79, 80, 81, 82, 83, 298]) expect(await found(`xxx\nline ${n + 1} x`)).toEqual(['talk'])
    expect(await found('xxx\nline 5 y')).toEqual([])
    expect(await found('xxx line 5')).toEqual([])
  })

  test('a content search finds only text of the main thread, and no summary fork', async () => {
    const id = await conversation('talk', [said('hello')])
    await insertTranscript(app.pool, id, [said('needle')], 'agent-1')
    const fork = await insertSession(app.pool, { title: 'fork', summary_of_session_id: id })
    await insertTranscript(app.pool, fork, [said('needle')])
    expect(await found('needle')).toEqual([])
  })

  test('a content search finds only sessions that match the filters', async () => {
    const id = await conversation('gone', [said('needle')])
    await app.pool.query(`update sessions set status = 'archived', archived_at = now() where id = $1`, [id])
    expect(await found('needle')).toEqual([])
    expect(await found('needle', '&show_archived=1')).toEqual(['gone'])
  })
})

describe('a content search continues', () => {
  const times = (n: number) => `2026-01-01T00:00:00.${String(100_000 + Math.floor(n / 2))}Z`

  /** Fourteen sessions, in pairs with the same creation time; those with an even number contain the phrase. */
  async function fourteen(): Promise<void> {
    for (let n = 0; n < 14; n += 1) {
      const id = await insertSession(app.pool, { title: `S${n}`, created_at: times(n) })
      await insertTranscript(app.pool, id, [said(n % 2 === 0 ? 'needle' : 'hay')])
    }
  }

  test.each([1, 2, 3, 4, 7, 100])(
    'a content search continues until every match was returned once, %i per page',
    async (perPage) => {
      await fourteen()
      for (const isIndexed of [false, true]) {
        if (isIndexed) await indexAll(app)
        const titles: string[] = []
        let cursor: string | null = ''
        for (let call = 0; cursor !== null && call < 20; call += 1) {
          const answer = await search('needle', `&per_page=${perPage}&scan_cursor=${encodeURIComponent(cursor)}`)
          expect(answer.body.content_scan.timed_out).toBe(false)
          expect(answer.body.pagination).toMatchObject({ page: 1, per_page: perPage })
          titles.push(...titlesOf(answer))
          cursor = answer.body.content_scan.next_cursor
          expect(answer.body.content_scan.complete).toBe(cursor === null)
        }
        expect(titles).toEqual(['S12', 'S10', 'S8', 'S6', 'S4', 'S2', 'S0'])
      }
    },
  )

  test('a content search continues after the chunk that filled the page, or after the last match if that chunk has more', async () => {
    await fourteen()
    // The first chunk is S13 to S10, with two matches.
    expect((await search('needle', '&per_page=2')).body.content_scan).toEqual({
      complete: false,
      timed_out: false,
      scanned_sessions: 4,
      candidate_sessions: 14,
      next_cursor: '2026-01-01T00:00:00.100005Z|11',
    })
    expect((await search('needle', '&per_page=1')).body.content_scan).toMatchObject({
      scanned_sessions: 2,
      next_cursor: '2026-01-01T00:00:00.100006Z|13',
    })
    const onward = await search('needle', '&per_page=2&scan_cursor=2026-01-01T00:00:00.100005Z|11')
    expect(titlesOf(onward)).toEqual(['S8', 'S6'])
    expect(onward.body.content_scan.candidate_sessions).toBe(10)
    expect((await search('needle', '&per_page=7')).body.content_scan).toMatchObject({
      complete: true,
      scanned_sessions: 14,
    })
  })

  test.each([
    'nonsense',
    '2026-01-01T00:00:00.100005Z',
    '2026-01-01T00:00:00.100005Z|0',
    '2026-01-01T00:00:00.100005Z|9223372036854775808',
    '2026-01-01T00:00:00.100005Z|-1',
    '2026-02-30T00:00:00.100005Z|5',
    '2026-13-01T00:00:00.100005Z|5',
    '0000-01-01T00:00:00.000000Z|5',
    '2026-01-01T00:00:00Z|5',
  ])('a content search continues from the newest session when the cursor is %j', async (cursor) => {
    await conversation('talk', [said('needle')])
    expect(titlesOf(await search('needle', `&scan_cursor=${encodeURIComponent(cursor)}`))).toEqual(['talk'])
  })

  test('a content search continues regardless of `page`', async () => {
    await conversation('talk', [said('needle')])
    const answer = await search('needle', '&page=5')
    expect(titlesOf(answer)).toEqual(['talk'])
    expect(answer.body.pagination.page).toBe(1)
  })
})

test('a content search without candidates is complete at once', async () => {
  expect((await search('x')).body.content_scan).toEqual({
    complete: true,
    timed_out: false,
    scanned_sessions: 0,
    candidate_sessions: 0,
    next_cursor: null,
  })
})

test('a content search without time reports a timeout and returns its cursor', async () => {
  const { app: hurried, stop } = await startTestApp({
    environment: { ROLE: 'web', SERVICE_CONTENT_SEARCH_BUDGET_SECONDS: '0' },
  })
  try {
    await insertSession(hurried.pool, { title: 'needle' })
    const scan = async (more: string) => (await hurried.get(`/sessions/search?q=needle&search_contents=1${more}`)).body
    const cursor = '2027-01-01T00:00:00.000000Z|99'
    expect(await scan('')).toMatchObject({
      sessions: [],
      content_scan: { complete: false, timed_out: true, scanned_sessions: 0, candidate_sessions: 1, next_cursor: null },
    })
    expect((await scan(`&scan_cursor=${cursor}`)).content_scan.next_cursor).toBe(cursor)
    expect((await scan('&status=failed')).content_scan).toMatchObject({ complete: true, timed_out: false })
  } finally {
    await stop()
  }
})
