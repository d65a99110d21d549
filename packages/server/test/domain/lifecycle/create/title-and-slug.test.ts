import { describe, expect, test } from 'vitest'
import { freeSlug, slugBase } from '../../../../src/domain/sessions/slug.ts'
import { openDatabase, openPool } from '../../../../src/platform/db/database.ts'
import { testApp } from '../../../support/app/app.ts'
import { testDatabase } from '../../../support/database/database.ts'
import { silentLog } from '../../../support/log/silent-log.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const create = async (body: Record<string, unknown>) => {
  const answer = await app.post('/sessions', { git_root: '/srv/repositories/widgets', agent_runtime: 'demo', ...body })
  expect(answer.status).toBe(201)
  return answer.body.session
}

describe('the title of a new session', () => {
  test('the title of a new session is stored as it was sent, surrounding spaces included', async () => {
    const session = await create({ title: ' Tidy  the retry loop ' })
    expect(session.title).toBe(' Tidy  the retry loop ')
    expect(session.metadata).not.toHaveProperty('auto_generated_title')
  })

  test.each([[undefined], [null], [''], ['   ']])(
    'the title of a new session is a marked placeholder for %j, and the session has no slug',
    async (title) => {
      const session = await create({ title })
      expect(session).toMatchObject({
        title: `Session ${session.id}`,
        slug: null,
        metadata: { auto_generated_title: true },
      })
    },
  )
})

describe('the slug of a new session', () => {
  test('the slug of a new session is generated from the title and the minute of creation, and names the session in a path', async () => {
    const session = await create({ title: 'Mend the retry loop' })
    const [, date, time] = /^mend-the-retry-loop-(\d{8})-(\d{4})$/.exec(session.slug) ?? []
    const stamped = Date.parse(
      `${date?.slice(0, 4)}-${date?.slice(4, 6)}-${date?.slice(6)}T${time?.slice(0, 2)}:${time?.slice(2)}:00Z`,
    )
    expect(Math.abs(stamped - Date.parse(session.created_at))).toBeLessThan(120_000)
    expect((await app.get(`/sessions/${session.slug}`)).body.session.id).toBe(session.id)
  })

  test('the slug of a new session is the one in the request, with or without a title', async () => {
    expect((await create({ slug: 'mine', title: 'Tidy' })).slug).toBe('mine')
    expect((await create({ slug: 'also-mine' })).slug).toBe('also-mine')
    expect((await create({ slug: '1-2' })).slug).toBe('1-2')
  })

  test.each([[null], [undefined]])('the slug of a new session is null for %j', async (slug) => {
    expect((await create({ slug })).slug).toBeNull()
  })

  test('the slug of a new session is unique for sessions with one title in one minute', async () => {
    const slugs: string[] = []
    for (let n = 0; n < 5; n += 1) slugs.push((await create({ title: 'One of many' })).slug)
    expect(new Set(slugs).size).toBe(5)
    for (const slug of slugs) expect(slug).toMatch(/^one-of-many-\d{8}-\d{4}(-[1-4])?$/)
  })

  test('the slug of a new session does not consist of digits only for a title of digits', async () => {
    const { slug, id } = await create({ title: '42' })
    expect(slug).toMatch(/^42-\d{8}-\d{4}$/)
    expect((await app.get(`/sessions/${slug}`)).body.session.id).toBe(id)
  })
})

describe('slugBase', () => {
  const createdAt = new Date('2026-08-22T18:09:42.999Z')
  const titles: [title: string, words: string][] = [
    ['Tidy the retry loop', 'tidy-the-retry-loop'],
    ['  snake_case -- and   blanks! ', 'snake-case-and-blanks'],
    ['Über Ärger: déjà vu', 'uber-arger-deja-vu'],
    ['Straße nach Łódź, Ærø og Þórshöfn', 'strasse-nach-lodz-aero-og-thorshofn'],
    ['ﬁx №5 ²', 'fix-no5-2'],
    ['日本 v2', 'v2'],
    ["Don't panic", 'don-t-panic'],
    ['日本語', 'session'],
    ['🚂🚂', 'session'],
    ['---', 'session'],
    ['!', 'session'],
    ['İstanbul', 'istanbul'],
    [`${'x'.repeat(99)} y`, `${'x'.repeat(99)}-y`],
    ['ﷺ'.repeat(100), 'session'],
    ['㎢'.repeat(100), `${'km2'.repeat(77)}`],
  ]
  test.each(titles)('slugBase for %j begins with %s', (title, words) => {
    expect(slugBase(title, createdAt)).toBe(`${words}-20260822-1809`)
  })
})

describe('freeSlug', () => {
  const createdAt = new Date('2026-08-22T18:09:42Z')

  async function slugBeside(taken: readonly string[]): Promise<string> {
    const { url, pool } = await testDatabase()
    const db = openDatabase(openPool({ connectionString: url }, { max: 2, log: silentLog, name: 'test' }))
    try {
      for (const slug of taken) await insertSession(pool, { slug })
      return await db.transaction().execute((tx) => freeSlug(tx, 'Tidy', createdAt))
    } finally {
      await db.destroy()
    }
  }

  test.each([
    ['no slug is taken', [], 'tidy-20260822-1809'],
    ['a slug of another minute is taken', ['tidy-20260822-1810'], 'tidy-20260822-1809'],
    ['the slug without a counter is taken', ['tidy-20260822-1809'], 'tidy-20260822-1809-1'],
    [
      'more than ten are taken',
      ['tidy-20260822-1809', ...Array.from({ length: 11 }, (_, n) => `tidy-20260822-1809-${n + 1}`)],
      'tidy-20260822-1809-12',
    ],
    ['the counters have a gap', ['tidy-20260822-1809', 'tidy-20260822-1809-2'], 'tidy-20260822-1809-1'],
    ['only a slug with a counter is taken', ['tidy-20260822-1809-1'], 'tidy-20260822-1809'],
  ])('freeSlug returns the first free slug if %s', async (_what, taken, slug) => {
    expect(await slugBeside(taken)).toBe(slug)
  })
})
