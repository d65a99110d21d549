import { beforeEach, expect, test } from 'vitest'
import { indexBatch } from '../../../src/domain/search/index-transcripts.ts'
import { appendEntries, lockThread } from '../../../src/domain/transcripts/transcript.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { indexAll } from '../../support/sessions/search-index.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web', SERVICE_CONTENT_SEARCH_CHUNK_SIZE: '5' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'search_marks')
})

/** A seeded random generator, so that a failure can be reproduced. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

// Few words, so that phrases occur often, overlap, and share trigrams with text that does not match.
const words = [
  'ab',
  'abc',
  'bca',
  'Abc',
  '"a":',
  '"a": ',
  ',',
  ', ',
  '%',
  '_',
  '\\',
  'ß',
  'Σ',
  '日本',
  '😀',
  ' ',
  'x'.repeat(700),
]

function text(pick: (below: number) => number, length: number): string {
  return Array.from({ length }, () => words[pick(words.length)]).join('')
}

const append = (sessionId: number, lines: readonly string[]) =>
  transact(app.host.app.db, async (tx) => {
    const { entry_count: after } = await lockThread(tx, { sessionId, thread: 'main' })
    await appendEntries(tx, { sessionId, thread: 'main' }, { after, lines, readBytes: 0 })
  })

/** Ids by a literal comparison of the rows. */
async function scanned(phrase: string): Promise<number[]> {
  const { rows } = await app.pool.query<{ id: string; texts: string[] }>(`
    select id, array[coalesce(title, ''), metadata::text, custom_metadata::text, coalesce(
      (select string_agg(line, E'\\n' order by sequence) from transcript_entries where session_id = sessions.id and thread = 'main'), ''
    )] as texts
    from sessions order by created_at desc, id desc
  `)
  const lower = (value: string) => value.toLowerCase().replaceAll('ς', 'σ')
  const keys = phrase.replace(/":(?! |$)/g, '": ')
  const spellings = [phrase, keys, keys.replace(/,(?! |$)/g, ', ')].map(lower)
  return rows
    .filter(({ texts }) => texts.some((each) => spellings.some((spelling) => lower(each).includes(spelling))))
    .map(({ id }) => Number(id))
}

/** Ids by the API, following its cursors. */
async function searched(phrase: string): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await app.get(
      `/sessions/search?search_contents=1&per_page=4&q=${encodeURIComponent(phrase)}&scan_cursor=${encodeURIComponent(cursor)}`,
    )
    expect(status).toBe(200)
    ids.push(...body.sessions.map(({ id }: { id: number }) => id))
    cursor = body.content_scan.next_cursor
  }
  return ids
}

test.each([1, 2])('the index says what a plain scan says, at every stage of being built (%i)', async (seed) => {
  const pick = numbers(seed)
  const ids: number[] = []
  for (let n = 0; n < 9; n += 1) {
    const created_at = `2026-01-01T00:00:0${pick(9)}Z`
    ids.push(
      await insertSession(app.pool, {
        title: text(pick, 3).slice(0, 90),
        metadata: { a: text(pick, 2) },
        created_at,
      }),
    )
  }
  const lines = (count: number) => Array.from({ length: count }, () => text(pick, pick(5) === 0 ? 60 : 6))
  const compare = async (stage: string) => {
    for (let n = 0; n < 4; n += 1) {
      const phrase = `${text(pick, 1 + pick(4))}${pick(6) === 0 ? '\nab' : ''}`.trim().slice(0, 1000)
      if (phrase === '') continue
      expect({ stage, phrase, ids: await searched(phrase) }).toEqual({ stage, phrase, ids: await scanned(phrase) })
    }
  }
  for (const id of ids) if (pick(4) > 0) await append(id, lines(1 + pick(30)))
  await compare('behind')
  for (const id of ids.slice(0, 5)) await indexBatch(app.host.app, id, 4000)
  await compare('in the middle')
  await indexAll(app)
  await compare('done')
  for (const id of ids.slice(4)) await append(id, lines(1 + pick(4)))
  await compare('behind again')
  await indexAll(app)
  await compare('done again')
})

test('a search finds all text stored before it began, while others append and several hosts index', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => insertSession(app.pool)))
  let isOver = false
  const stored = new Set<string>()
  const writers = ids.map(async (id) => {
    for (let n = 0; !isOver; n += 1) {
      await append(id, [`entry ${id}-${n}. ${'filler '.repeat(200)}`, `second of ${id}-${n}.`])
      stored.add(`entry ${id}-${n}.`)
      stored.add(`second of ${id}-${n}.`)
    }
  })
  const indexers = [1, 2].map(async () => {
    while (!isOver) await indexAll(app)
  })
  try {
    for (let n = 0; n < 25; n += 1) {
      const all = [...stored]
      const phrase = all[Math.floor((all.length * (n % 10)) / 10)] ?? 'entry'
      const { body } = await app.get(`/sessions/search?search_contents=1&q=${encodeURIComponent(phrase)}`)
      const owner = Number(/(\d+)-/.exec(phrase)?.[1] ?? ids[0])
      if (phrase !== 'entry')
        expect({ phrase, found: body.sessions.map(({ id }: { id: number }) => id) }).toEqual({ phrase, found: [owner] })
    }
  } finally {
    isOver = true
    await Promise.all([...writers, ...indexers])
  }
  await indexAll(app)
  const { rows } = await app.pool.query(`
    select count(*)::int as marks, (select count(*)::int from search_threads join transcript_threads using (session_id) where indexed_count <> entry_count) as behind
    from search_marks
  `)
  expect(rows[0]).toEqual({ marks: 0, behind: 0 })
  for (const id of ids) expect(await searched(`entry ${id}-0.`)).toEqual([id])
})
