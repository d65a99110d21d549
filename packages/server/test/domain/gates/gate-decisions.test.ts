import { beforeEach, describe, expect, test } from 'vitest'
import { addFeedback } from '../../../src/domain/gates/gate-decision.ts'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { refusingCommits } from '../../support/database/refuse-commits.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const pull = 'https://forge.example/acme/web/pull/77'
const record = (entry: object, more: object = {}) =>
  app.post('/gate_decisions', { gate: 'pr', surface: 'web', entry, ...more })
const recorded = async (entry: object, more: object = {}): Promise<number> =>
  (await record(entry, more)).body.gate_decision.id
const listed = async (query: string): Promise<number[]> => {
  const { status, body } = await app.get(`/gate_decisions?${query}`)
  expect(status).toBe(200)
  return body.gate_decisions.map(({ id }: { id: number }) => id)
}

/** The table lets no one delete, so each test starts after the rows of the others. */
let before = 0
beforeEach(async () => {
  const { rows } = await app.pool.query('select coalesce(max(id), 0)::int as last from gate_decisions')
  before = rows[0].last
})

describe('POST /gate_decisions answers 201', () => {
  test('a decision is recorded with what its entry says', async () => {
    const writer = await insertSession(app.pool, {})
    const entry = {
      pr: `See ${pull}, please.`,
      title: 'Fix login loop',
      decision: 'hold',
      decided_at: '2026-08-22T18:09:42+09:00',
      producing_session: 'https://host.example/sessions/790',
      ratings: { risk: 'low' },
    }
    const { status, body } = await record(entry, { writing_session_id: writer })
    expect([status, body]).toEqual([
      201,
      {
        gate_decision: {
          id: before + 1,
          gate: 'pr_merge',
          surface: 'web',
          artifact_url: pull,
          title: 'Fix login loop',
          decided_at: '2026-08-22',
          decision: 'hold',
          producing_session_url: 'https://host.example/sessions/790',
          writing_session_id: writer,
          recorded_via: 'api',
          recorded_at: expect.stringMatching(/Z$/),
          human_feedback: [],
          corrected_by: null,
          payload: entry,
        },
      },
    ])
    expect((await app.get(`/gate_decisions/${before + 1}`)).body).toEqual(body)
  })

  test.each([
    ['pr_merge', ['pr', 'PR', 'pr-gate', 'pr_merge_gate', ' Pr-Merge ']],
    ['issue_work', ['issue', 'ISSUE-GATE', 'issue_work_gate']],
  ])('the gate %s may be named by any of its aliases', async (gate, names) => {
    for (const name of names) expect((await record({}, { gate: name })).body.gate_decision.gate).toBe(gate)
  })

  test('a surface is stored in lower case with underscores, and found by any spelling of it', async () => {
    const { body } = await record({}, { surface: ' Web-App Login ' })
    expect(body.gate_decision.surface).toBe('web_app_login')
    expect(await listed('surface=WEB-app%20login')).toContain(body.gate_decision.id)
  })

  test('human_feedback is dropped from an entry at every depth and in any case', async () => {
    const { body } = await record({
      a: [{ Human_Feedback: 1, b: 2 }],
      HUMAN_FEEDBACK: [],
      c: { human_feedback: {}, d: null },
    })
    expect(body.gate_decision.payload).toEqual({ a: [{ b: 2 }], c: { d: null } })
    expect(body.gate_decision.human_feedback).toEqual([])
  })

  test.each([
    ['a sentence around it', { pr: `(see ${pull}).` }, pull],
    ['no address', { pr: 'no address' }, null],
    ['a number', { pr: 77 }, null],
    ['an address that is too long', { pr: `https://x.example/${'y'.repeat(2048)}` }, null],
    ['an address that is too long in bytes', { pr: `https://x.example/${'機関車'.repeat(300)}` }, null],
    ['an address of another scheme', { pr: 'javascript:alert(1)' }, null],
  ])('the address of the artifact is read from an entry with %s', async (_about, entry, url) => {
    expect((await record(entry)).body.gate_decision.artifact_url).toBe(url)
  })

  test('the artifact of the issue gate is its issue, and a spawned session stands for the producing one', async () => {
    const entry = {
      issue: 'https://forge.example/acme/web/issues/5',
      pr: pull,
      spawned_session: 'https://host.example/sessions/9',
    }
    const { body } = await record(entry, { gate: 'issue' })
    expect(body.gate_decision).toMatchObject({
      artifact_url: entry.issue,
      producing_session_url: entry.spawned_session,
    })
  })

  test.each([['2026-02-30'], ['0000-01-01'], ['yesterday'], [20260822], [null]])(
    'the day of a decision at %j is null',
    async (decided_at) => {
      const { status, body } = await record({ decided_at })
      expect([status, body.gate_decision.decided_at]).toEqual([201, null])
    },
  )

  test('a long decision is cut to 200 characters', async () => {
    const { body } = await record({ decision: '🚂'.repeat(300) })
    expect(body.gate_decision.decision).toBe('🚂'.repeat(200))
  })

  test('an entry comes back as it was sent, large integers and odd keys included', async () => {
    const text = '{"gate":"pr","surface":"web","entry":{"big":12345678901234567890,"__proto__":{"x":1},"":[]}}'
    const headers = { 'content-type': 'application/json', 'x-api-key': testKey }
    const answer = await (await app.send('/api/v1/gate_decisions', { method: 'POST', headers, body: text })).text()
    expect(answer).toContain('"big":12345678901234567890')
    expect(answer).toContain('"__proto__":{"x":1}')
  })

  test('the writing session may be a slug; one that does not exist is left out', async () => {
    const id = await insertSession(app.pool, { slug: 'the-gate-keeper' })
    const writerOf = async (writing_session_id: unknown) =>
      (await record({}, { writing_session_id })).body.gate_decision.writing_session_id
    expect(await writerOf('the-gate-keeper')).toBe(id)
    for (const claim of [999_999, 'nobody', '99999999999999999999', -1, [], {}, true])
      expect(await writerOf(claim)).toBe(null)
  })

  test('a correction is another row about the same artifact', async () => {
    const first = await recorded({ pr: `${pull}0`, decision: 'hold' })
    const second = await recorded({ pr: `${pull}0`, decision: 'correction' })
    expect(await listed(`artifact_url=${encodeURIComponent(`${pull}0`)}`)).toEqual([second, first])
  })

  test('concurrent records get ids without gaps', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, number) => recorded({ number })))
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => before + 1 + index))
  })
})

describe('POST /gate_decisions answers 422 Invalid gate decision', () => {
  test.each([
    ['an unknown gate', { gate: 'release', surface: 'web', entry: {} }, 'Gate must be one of: pr_merge, issue_work'],
    [
      'a gate named by a property of objects',
      { gate: 'constructor', surface: 'web', entry: {} },
      'Gate must be one of: pr_merge, issue_work',
    ],
    ['no surface', { gate: 'pr', entry: {} }, "Surface can't be blank"],
    ['a blank surface', { gate: 'pr', surface: ' ', entry: {} }, "Surface can't be blank"],
    [
      'a long surface',
      { gate: 'pr', surface: 'x'.repeat(201), entry: {} },
      'Surface is too long (maximum is 200 characters)',
    ],
    ['a list as entry', { gate: 'pr', surface: 'web', entry: [] }, 'Entry must be an object'],
    ['no entry', { gate: 'pr', surface: 'web' }, 'Entry must be an object'],
    [
      'a large entry',
      { gate: 'pr', surface: 'web', entry: { x: 'y'.repeat(512 * 1024) } },
      'Entry is too large (maximum is 512 KiB)',
    ],
  ])('for %s, and records nothing', async (_about, body, sentence) => {
    await changesNothing(app.pool, async () => {
      expectProblem(await app.post('/gate_decisions', body), 422, 'Invalid gate decision', sentence)
    })
  })
})

describe('GET /gate_decisions', () => {
  test('the latest come first, those without a day by the day of their recording, and the page counts all', async () => {
    const old = await recorded({ decided_at: '2001-01-01' })
    const undated = await recorded({})
    const future = await recorded({ decided_at: '2999-01-01' })
    const { body } = await app.get('/gate_decisions?per_page=100')
    const ids = body.gate_decisions.map(({ id }: { id: number }) => id)
    expect([future, undated, old].map((id) => ids.indexOf(id))).toEqual(
      [...[future, undated, old].map((id) => ids.indexOf(id))].toSorted((a, b) => a - b),
    )
    expect(body.pagination.total_count).toBe(future)
    expect(body.gate_decisions[0]).not.toHaveProperty('payload')
  })

  test.each([
    ['gate=issue-gate', { gate: 'issue', entry: {} }],
    ['decision=merge%25', { gate: 'pr', entry: { decision: 'merge%' } }],
    ['artifact_query=WEB/Pull/4711', { gate: 'pr', entry: { pr: 'https://forge.example/acme/web/pull/4711' } }],
    ['query=NEEDLE%20IN', { gate: 'pr', entry: { justifications: { risk: 'a needle in the hay' } } }],
    ['query=100%25_sure', { gate: 'pr', entry: { note: '100%_sure' } }],
    ['query=%5Cd', { gate: 'pr', entry: { note: 'a \\d' } }],
    ['from=1990-02-03&to=1990-02-03', { gate: 'pr', entry: { decided_at: '1990-02-03' } }],
  ])('%s finds the decision it is about, and no other', async (query, { gate, entry }) => {
    await recorded({ note: '100xxsure', decided_at: '1991-02-03', decision: 'merge now' })
    const id = await recorded(entry, { gate })
    const found = await listed(query)
    expect(found[0]).toBe(id)
    expect(found.filter((each) => each > before)).toEqual([id])
  })

  test('with_human_feedback narrows only when it is true', async () => {
    const silent = await recorded({})
    const discussed = await recorded({})
    await addFeedback(app.host.app, discussed, { verdict: 'too strict', note: null, author: 'Ada' })
    expect(await listed('with_human_feedback=true')).toContain(discussed)
    expect(await listed('with_human_feedback=true')).not.toContain(silent)
    expect(await listed('with_human_feedback=false&per_page=100')).toEqual(expect.arrayContaining([silent, discussed]))
  })

  test('a corrected decision names the latest record of its gate about its artifact, also where a filter hides that one', async () => {
    const pr = `${pull}1`
    const [held, merged, reverted] = [
      await recorded({ pr, decision: 'held back' }),
      await recorded({ pr, decision: 'merge' }),
      // By its day it is listed before the others; what counts is when it was recorded.
      await recorded({ pr, decision: 'revert', decided_at: '1995-01-01' }),
    ]
    await recorded({ issue: pr, decision: 'accept' }, { gate: 'issue' })
    await recorded({ decision: 'about nothing' })
    await recorded({ decision: 'about nothing' })
    const corrections = async (query: string): Promise<[number, number | null][]> =>
      (await app.get(`/gate_decisions?${query}`)).body.gate_decisions.map(
        ({ id, corrected_by }: { id: number; corrected_by: number | null }) => [id, corrected_by],
      )
    expect(await corrections(`gate=pr&artifact_url=${encodeURIComponent(pr)}`)).toEqual([
      [merged, reverted],
      [held, reverted],
      [reverted, null],
    ])
    expect(await corrections('decision=held%20back')).toEqual([[held, reverted]])
    expect((await corrections('decision=about%20nothing')).map(([, by]) => by)).toEqual([null, null])
    expect((await app.get(`/gate_decisions/${held}`)).body.gate_decision.corrected_by).toBe(reverted)
  })

  test('an answer names every decision and surface of the ledger, also those that its filters and its page leave out', async () => {
    await recorded({ decision: 'put off' }, { surface: 'A tram' })
    await recorded({ decision: 'hold' }, { surface: 'zeppelin' })
    await recorded({}, { surface: 'web' })
    const { body } = await app.get('/gate_decisions?decision=put%20off&per_page=1')
    const { decisions, surfaces } = body.filter_values
    expect(decisions).toContain('put off')
    expect(decisions).toContain('hold')
    expect(decisions).not.toContain(null)
    expect(surfaces).toEqual(expect.arrayContaining(['a_tram', 'web', 'zeppelin']))
    expect(new Set(surfaces).size).toBe(surfaces.length)
  })

  test.each([
    ['gate=release', 'Gate must be one of: pr_merge, issue_work'],
    ['from=yesterday', 'From must be a date, such as 2026-08-22'],
    ['to=2026-02-30', 'To must be a date, such as 2026-08-22'],
    ['with_human_feedback=maybe', 'With human feedback must be true or false'],
    ['query=%00', 'Query must not hold a NUL character'],
  ])('%s answers 422 Invalid filter, never an empty page', async (query, sentence) => {
    expectProblem(await app.get(`/gate_decisions?${query}`), 422, 'Invalid filter', sentence)
  })
})

describe('the ledger of gate decisions is append-only', () => {
  test.each([['PATCH'], ['PUT'], ['DELETE']])('%s /gate_decisions/{id} answers 404', async (method) => {
    const id = await recorded({})
    expect((await app.send(`/api/v1/gate_decisions/${id}`, { method, headers: { 'x-api-key': testKey } })).status).toBe(
      404,
    )
  })

  test('no route of the API takes feedback', async () => {
    const id = await recorded({})
    expect((await app.post(`/gate_decisions/${id}/feedbacks`, { verdict: 'fine', author: 'Ada' })).status).toBe(404)
  })

  test.each([
    ["update gate_decisions set decision = 'merged'"],
    ['delete from gate_decisions'],
    ['truncate gate_decisions cascade'],
    ["update gate_feedbacks set verdict = 'fine'"],
    ['delete from gate_feedbacks'],
  ])('the database refuses %j', async (statement) => {
    await recorded({})
    await expect(app.pool.query(statement)).rejects.toThrow('is append-only')
  })

  test('deleting the writing session changes nothing in the ledger', async () => {
    const writer = await insertSession(app.pool, {})
    const id = await recorded({}, { writing_session_id: writer })
    await app.pool.query('delete from sessions where id = $1', [writer])
    expect((await app.get(`/gate_decisions/${id}`)).body.gate_decision.writing_session_id).toBe(writer)
  })
})

describe('GET /gate_decisions/{id}', () => {
  test('feedback of people is shown with its decision, oldest first', async () => {
    const id = await recorded({})
    await addFeedback(app.host.app, id, { verdict: 'too strict', note: 'tests were enough', author: 'Ada' })
    await addFeedback(app.host.app, id, { verdict: 'fine', note: null, author: 'Bo' })
    const { body } = await app.get(`/gate_decisions/${id}`)
    expect(body.gate_decision.human_feedback).toMatchObject([
      { verdict: 'too strict', note: 'tests were enough', author: 'Ada', channel: 'web_ui' },
      { verdict: 'fine', note: null, author: 'Bo', channel: 'web_ui' },
    ])
  })

  test.each([['999999999'], ['0'], ['abc'], ['99999999999999999999'], ['-1']])('%s answers 404', async (id) => {
    expect((await app.get(`/gate_decisions/${id}`)).status).toBe(404)
  })
})

describe('gate_decisions.changed', () => {
  const announced = async () =>
    (await app.pool.query("select payload from events where name = 'gate_decisions.changed'")).rows
  beforeEach(() => app.pool.query('delete from events'))

  test('is published when a gate has decided, and when a person gives feedback', async () => {
    const id = await recorded({ decision: 'hold' })
    expect(await announced()).toEqual([{ payload: {} }])
    await addFeedback(app.host.app, id, { verdict: 'fine', note: null, author: 'Ada' })
    expect(await announced()).toEqual([{ payload: {} }, { payload: {} }])
  })

  test('is not published for a refused entry, for feedback on no decision, or if the transaction is rolled back', async () => {
    await record({ x: 'y'.repeat(512 * 1024) })
    await addFeedback(app.host.app, 999_999_999, { verdict: 'fine', note: null, author: 'Ada' }).catch(() => undefined)
    const { status } = await refusingCommits(app.pool, 'gate_decisions', () => record({ decision: 'hold' }))
    expect(status).toBe(500)
    expect(await announced()).toEqual([])
  })
})
