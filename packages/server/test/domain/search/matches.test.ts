import { beforeEach, describe, expect, test } from 'vitest'
import { excerptOf } from '../../../src/domain/search/excerpt.ts'
import { phraseOf } from '../../../src/domain/search/phrase.ts'
import { type Answer, expectProblem, testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { says } from '../../support/sessions/entries.ts'
import { indexAll } from '../../support/sessions/search-index.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'search_marks')
})

async function conversation(texts: readonly string[], title = 'talk'): Promise<number> {
  const id = await insertSession(app.pool, { title })
  await insertTranscript(
    app.pool,
    id,
    texts.map((text) => JSON.stringify(says(text))),
  )
  return id
}

const search = (q: string): Promise<Answer> =>
  app.get(`/sessions/search?search_contents=true&include_matches=true&q=${encodeURIComponent(q)}`)

/** The same before and after indexing. */
async function matches(q: string) {
  const before = await search(q)
  await indexAll(app)
  const after = await search(q)
  expect(after.body.matches).toEqual(before.body.matches)
  return after.body.matches
}

describe('a content search with include_matches', () => {
  test('a content search with include_matches says in which entries the phrase is, and where in their text', async () => {
    const id = await conversation(['hay', 'a NEEDLE in "it"', 'more hay', 'needle, needle'])
    expect(await matches('needle')).toEqual({
      [id]: [
        { thread: 'main', sequence: 2, excerpt: 'a NEEDLE in "it"', ranges: [{ from: 2, to: 8 }] },
        {
          thread: 'main',
          sequence: 4,
          excerpt: 'needle, needle',
          ranges: [
            { from: 0, to: 6 },
            { from: 8, to: 14 },
          ],
        },
      ],
    })
  })

  test('a content search with include_matches names the latest three entries of each session', async () => {
    const many = await conversation(Array.from({ length: 300 }, (_, n) => `needle ${n} ${'x'.repeat(200)}`))
    const one = await conversation(['hay', 'needle'])
    const found = await matches('needle')
    const sequences = (id: number) => found[id].map(({ sequence }: { sequence: number }) => sequence)
    expect([sequences(many), sequences(one)]).toEqual([[298, 299, 300], [2]])
  })

  test('a content search with include_matches finds the entry of a phrase in a line longer than a chunk', async () => {
    const id = await conversation(['hay', `${'x'.repeat(30_000)} needle ${'y'.repeat(30_000)}`, 'hay'])
    const { [id]: found } = await matches('needle')
    expect(found).toHaveLength(1)
    expect([found[0].sequence, found[0].excerpt.length]).toEqual([2, 240])
  })

  test('a content search with include_matches shows the stored line if no text that people see has the phrase', async () => {
    const id = await conversation(['hay'])
    const { [id]: found } = await matches('"type":"text"')
    expect(found[0].excerpt).toContain('{"type":"text","text":"hay"}')
  })

  test('a content search with include_matches has no matches of a session that only its title found', async () => {
    await conversation(['hay'], 'needle')
    expect(await matches('needle')).toEqual({})
  })

  test('a content search with include_matches reads the entries of chunks that do not name them', async () => {
    const id = await conversation(['hay', 'needle'])
    await indexAll(app)
    await app.pool.query('update search_chunks set first_entry = null')
    expect((await search('needle')).body.matches[id]).toMatchObject([{ sequence: 2, excerpt: 'needle' }])
  })

  test('a content search with include_matches has none for a phrase over two lines, and none for an empty page', async () => {
    await conversation(['one', 'two'])
    expect([await matches('"}]}}\n{"type'), await matches('nowhere')]).toEqual([{}, {}])
  })

  test('the answer has no matches unless they are asked for, and none of a search without contents', async () => {
    await conversation(['needle'], 'needle')
    for (const query of ['search_contents=true', 'include_matches=true'])
      expect((await app.get(`/sessions/search?q=needle&${query}`)).body).not.toHaveProperty('matches')
  })

  test('a search answers 422 if include_matches is neither true nor false', async () => {
    expectProblem(
      await app.get('/sessions/search?q=x&include_matches=perhaps'),
      422,
      'Invalid parameter',
      'Include matches must be true or false',
    )
  })
})

describe('an excerpt', () => {
  const excerpt = (text: string, phrase: string) => excerptOf(text, phraseOf(phrase))

  test('an excerpt is the text around the first place, with every place in it', () => {
    const found = excerpt(`${'a'.repeat(500)}Needle${'b'.repeat(100)}needle${'c'.repeat(500)}`, 'NEEDLE')
    expect(found?.excerpt).toBe(`${'a'.repeat(80)}Needle${'b'.repeat(100)}needle${'c'.repeat(48)}`)
    expect(found?.ranges).toEqual([
      { from: 80, to: 86 },
      { from: 186, to: 192 },
    ])
  })

  test('an excerpt holds the whole phrase however long it is', () => {
    const phrase = 'long '.repeat(90).trim()
    expect(excerpt(`${'a'.repeat(100)}${phrase} end`, phrase)?.excerpt).toBe(`${'a'.repeat(80)}${phrase}`)
  })

  test('an excerpt breaks no character, and is right for letters that are longer in lower case', () => {
    const emoji = excerpt(`${'😀'.repeat(99)}x needle ${'😀'.repeat(200)}`, 'needle')
    expect(emoji?.excerpt.isWellFormed()).toBe(true)
    const turkish = excerpt('İİİ needle', 'needle')
    const [range] = turkish?.ranges ?? []
    expect(turkish?.excerpt.slice(range?.from, range?.to)).toBe('needle')
  })

  test('an excerpt names at most 20 places, and there is none without the phrase', () => {
    expect(excerpt('x'.repeat(300), 'x')?.ranges).toHaveLength(20)
    expect(excerpt('hay', 'needle')).toBeUndefined()
  })
})
