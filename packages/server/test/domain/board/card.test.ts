import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp()
const change = (id: number | string, what: string, body?: unknown) => app.patch(`/sessions/${id}/${what}`, body)
const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })

test.each(['notes', 'set_category', 'visibility', 'model', 'mcp_servers', 'catalog_skills'])(
  'PATCH %s answers 404 for an unknown session',
  async (what) => {
    const bodies: Record<string, unknown> = {
      notes: { session_notes: 'x' },
      visibility: { visibility: 'hidden' },
      model: { model: 'demo' },
      mcp_servers: { mcp_servers: [] },
      catalog_skills: { catalog_skills: [] },
    }
    expectProblem(await change(999_999, what, bodies[what] ?? {}), 404, 'Not Found')
  },
)

describe('PATCH /sessions/:id/notes', () => {
  test('PATCH /sessions/:id/notes stores the notes with their time, and clears them with an empty string or null', async () => {
    const id = await resting()
    const { status, body } = await change(id, 'notes', { session_notes: 'look here' })
    expect(status).toBe(200)
    expect(body.session.session_notes).toBe('look here')
    expect(body.session_notes_updated_at).toBe(body.session.session_notes_updated_at)
    expect(body.session_notes_updated_at).not.toBeNull()
    for (const session_notes of ['', null]) {
      await change(id, 'notes', { session_notes: 'again' })
      expect((await change(id, 'notes', { session_notes })).body).toMatchObject({
        session: { session_notes: null },
        session_notes_updated_at: null,
      })
    }
  })

  test('PATCH /sessions/:id/notes rejects notes of more than 50,000 characters with 422 and changes nothing', async () => {
    const id = await resting()
    expect((await change(id, 'notes', { session_notes: '😀'.repeat(50_000) })).status).toBe(200)
    const answer = await changesNothing(app.pool, () => change(id, 'notes', { session_notes: 'x'.repeat(50_001) }))
    expectProblem(answer, 422, 'Too long', 'Notes are too long (maximum 50,000 characters)')
  })

  test('PATCH /sessions/:id/notes rejects missing notes and notes that are not a string with 422 and changes nothing', async () => {
    const id = await resting()
    const missing = await changesNothing(app.pool, () => change(id, 'notes', {}))
    expectProblem(missing, 422, 'Missing parameter', 'session_notes is required')
    const wrong = await changesNothing(app.pool, () => change(id, 'notes', { session_notes: 5 }))
    expectProblem(wrong, 422, 'Validation failed', 'Session notes must be a string')
    const unread = { session_notes: 'x', replaces: 5 }
    const odd = await changesNothing(app.pool, () => change(id, 'notes', unread))
    expectProblem(odd, 422, 'Validation failed', 'Replaces must be a string')
  })

  test('PATCH /sessions/:id/notes refuses with 409 to replace notes that have changed since the caller read them', async () => {
    const id = await resting()
    expect((await change(id, 'notes', { session_notes: 'first', replaces: null })).status).toBe(200)
    const answer = await changesNothing(app.pool, () => change(id, 'notes', { session_notes: 'mine', replaces: '' }))
    expectProblem(answer, 409, 'Conflict', 'The notes have changed since they were read')
    expect((await change(id, 'notes', { session_notes: 'mine', replaces: 'first' })).status).toBe(200)
    // Sent again, because the answer was lost.
    expect((await change(id, 'notes', { session_notes: 'mine', replaces: 'first' })).status).toBe(200)
  })

  test('of two people who replace the same notes at once, one is refused', async () => {
    const id = await resting()
    const people = ['Ada', 'Bob', 'Cem', 'Dee']
    const answers = await Promise.all(
      people.map((name) => change(id, 'notes', { session_notes: `by ${name}`, replaces: null })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })
})

test('POST /sessions/:id/toggle_favorite flips the flag, and concurrent toggles all take effect', async () => {
  const id = await resting()
  const answer = await app.post(`/sessions/${id}/toggle_favorite`)
  expect([answer.status, answer.body.favorited, answer.body.session.favorited]).toEqual([200, true, true])
  await Promise.all(Array.from({ length: 21 }, () => app.post(`/sessions/${id}/toggle_favorite`)))
  expect((await app.get(`/sessions/${id}`)).body.session.favorited).toBe(false)
  expectProblem(await app.post('/sessions/999999/toggle_favorite'), 404, 'Not Found')
})

describe('PATCH /sessions/:id/set_category', () => {
  test('PATCH /sessions/:id/set_category sets and clears the category', async () => {
    const id = await resting()
    const { category } = (await app.post('/categories', { name: 'Shelf', is_frozen: true })).body
    expect((await change(id, 'set_category', { category_id: String(category.id) })).body).toMatchObject({
      session: { category: { id: category.id, name: 'Shelf' } },
      message: 'Session assigned to category',
    })
    for (const body of [{}, { category_id: '' }, { category_id: ' ' }, { category_id: null }]) {
      expect((await change(id, 'set_category', body)).body).toMatchObject({
        session: { category_id: null, category: null },
        message: 'Session moved to Uncategorized',
      })
    }
  })

  test.each([
    [99, 'Category #99 not found'],
    ['x', 'Category #x not found'],
    [1.5, 'Category #1.5 not found'],
  ])(
    'PATCH /sessions/:id/set_category rejects the unknown category %j with 404 and changes nothing',
    async (category_id, message) => {
      const id = await resting()
      const answer = await changesNothing(app.pool, () => change(id, 'set_category', { category_id }))
      expectProblem(answer, 404, 'Not Found', message)
    },
  )
})

describe('PATCH /sessions/:id/visibility', () => {
  const setTo = (id: number, body: unknown) => change(id, 'visibility', body)

  test('PATCH /sessions/:id/visibility hides, snoozes and shows a session; snoozed_until is local time in the given time zone', async () => {
    const id = await resting()
    expect((await setTo(id, { visibility: 'hidden', snoozed_until: 'ignored' })).body.session).toMatchObject({
      visibility: 'hidden',
      effective_visibility: 'hidden',
      snoozed_until: null,
    })
    const snooze = { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00', timezone: 'Europe/Berlin' }
    expect((await setTo(id, snooze)).body.session).toMatchObject({
      visibility: 'snoozed',
      effective_visibility: 'snoozed',
      snoozed_until: '2031-07-01T06:00:00Z',
    })
    expect((await setTo(id, { visibility: 'visible' })).body.session).toMatchObject({
      visibility: 'visible',
      snoozed_until: null,
    })
  })

  test('an ended snooze has effective_visibility visible and keeps the stored visibility', async () => {
    const id = await resting({ visibility: 'snoozed', snoozed_until: new Date(Date.now() - 1000) })
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      visibility: 'snoozed',
      effective_visibility: 'visible',
    })
  })

  test.each([
    ['2031-03-30T02:30', 'Europe/Berlin', '2031-03-30T01:30:00Z', 'skipped by a clock change moves forward'],
    ['2031-10-26T02:30', 'Europe/Berlin', '2031-10-26T00:30:00Z', 'that occurs twice means the first occurrence'],
    ['2031-07-01T08:00:30.25', undefined, '2031-07-01T08:00:30Z', 'without a zone is UTC'],
    ['2031-07-01T08:00Z', 'Etc/UTC', '2031-07-01T08:00:00Z', 'with a Z is UTC'],
    ['2031-01-01T00:15', 'Asia/Kathmandu', '2030-12-31T18:30:00Z', 'may fall in another year in UTC'],
  ])(
    'PATCH /sessions/:id/visibility reads snoozed_until %s in zone %s as %s: a time %s',
    async (snoozed_until, timezone, expected, _why) => {
      const answer = await setTo(await resting(), { visibility: 'snoozed', snoozed_until, timezone })
      expect(answer.body.session.snoozed_until).toBe(expected)
    },
  )

  test.each([
    [{}, 'Unknown visibility "". Valid values: visible, hidden, snoozed.'],
    [{ visibility: 'gone' }, 'Unknown visibility "gone". Valid values: visible, hidden, snoozed.'],
    [{ visibility: 'snoozed' }, 'snoozed_until is required to snooze a session.'],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00+02:00' },
      'snoozed_until must not carry a UTC offset; send the wall clock time and a timezone name.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00-0500' },
      'snoozed_until must not carry a UTC offset; send the wall clock time and a timezone name.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01' },
      'snoozed_until must be an ISO-8601 datetime such as 2026-09-05T08:00.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-02-30T08:00' },
      'snoozed_until must be an ISO-8601 datetime such as 2026-09-05T08:00.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00', timezone: 'Mars/Olympus' },
      '"Mars/Olympus" is not a recognized IANA timezone name.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00', timezone: '+02:00' },
      '"+02:00" is not a recognized IANA timezone name.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2031-07-01T08:00Z', timezone: 'Europe/Berlin' },
      'snoozed_until ends in Z, but timezone is not UTC; drop the Z or set timezone to UTC.',
    ],
    [
      { visibility: 'snoozed', snoozed_until: '2020-01-01T00:00' },
      'snoozed_until is in the past (2020-01-01T00:00:00Z).',
    ],
  ])('PATCH /sessions/:id/visibility rejects %j with 422 and changes nothing', async (body, message) => {
    const id = await resting()
    expectProblem(await changesNothing(app.pool, () => setTo(id, body)), 422, 'Visibility update failed', message)
  })
})
