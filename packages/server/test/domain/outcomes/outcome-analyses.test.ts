import { describe, expect, test } from 'vitest'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

type Node = { id: string; children: Node[]; [key: string]: unknown }

function segment(id: string, more: Record<string, unknown> = {}): Node {
  return {
    id,
    trigger: { kind: 'New', source: 'user' },
    goal: { text: 'Fix the login loop', kind: 'Action' },
    outcome: { kind: 'Success', explanation: 'Tests are green.' },
    meta: {},
    children: [],
    ...more,
  }
}

const unknownFigures = { event_range: null, wall_clock_s: null, tokens_in: null, tokens_out: null, model: null }
const failure = { kind: 'Failure', explanation: 'Wrong cookie path.' }
const correction = { trigger: { kind: 'Correction', source: 'user' } }

const archived = (columns: Record<string, unknown> = {}): Promise<number> =>
  insertSession(app.pool, { status: 'archived', archived_at: new Date(), ...columns })
const save = (session_id: unknown, root: unknown = segment('S0'), more: Record<string, unknown> = {}) =>
  app.post('/outcome_analyses', { session_id, root, ...more })
const problemsOf = async (root: unknown, more: Record<string, unknown> = {}): Promise<string[]> => {
  const id = await archived()
  const answer = await save(id, root, more)
  expectProblem(answer, 422, 'Invalid Segment tree')
  const { rows } = await app.pool.query('select from outcome_analyses where session_id = $1', [id])
  expect(rows).toEqual([])
  return answer.body.messages
}

describe('POST /outcome_analyses answers 201', () => {
  test('an analysis is saved with figures of its tree and facts of its session', async () => {
    const id = await archived({
      slug: 'fix-login',
      title: 'Fix the login',
      agent_runtime: 'runtime_alpha',
      config: { model: 'family_c-5' },
      metadata: { agent_root_key: 'web' },
      created_at: '2026-08-22T09:10:00Z',
    })
    const analyzer = await insertSession(app.pool, {})
    const meta = {
      event_range: ['e1', 'e90'],
      wall_clock_s: '1800.5',
      tokens_in: 2000,
      tokens_out: 1.5,
      model: 'm',
      x: 1,
    }
    const children = [
      segment('S0.0', { outcome: failure }),
      segment('S0.1', { ...correction, meta: null, children: undefined }),
    ]
    const root = segment('S0', { meta, children, more: 'dropped' })
    const { status, body } = await save('fix-login', root, {
      analyzer_session_id: analyzer,
      notes: ' early end ',
      schema_version: '',
    })
    const normal = (node: Node) => ({ ...node, meta: unknownFigures, children: [] })
    const analysis = {
      id: expect.any(Number),
      session_id: id,
      session_title: 'Fix the login',
      analyzer_session_id: analyzer,
      schema_version: '1',
      notes: 'early end',
      agent_root: 'web',
      agent_runtime: 'runtime_alpha',
      model: 'family_c-5',
      session_created_at: '2026-08-22T09:10:00Z',
      root_outcome: 'Success',
      segment_count: 3,
      failure_segment_count: 1,
      success_segment_count: 2,
      max_depth: 2,
      analyzed_at: expect.stringMatching(/Z$/),
      superseded_at: null,
      root: {
        ...segment('S0'),
        meta: { event_range: ['e1', 'e90'], wall_clock_s: 1800.5, tokens_in: 2000, tokens_out: null, model: 'm' },
        children: children.map(normal),
      },
    }
    expect([status, body]).toEqual([201, { outcome_analysis: analysis, superseded_previous: false, warnings: [] }])
    expect((await app.get(`/outcome_analyses/${id}`)).body).toEqual({ outcome_analysis: analysis })
    expect((await app.get('/outcome_analyses/fix-login')).body).toEqual({ outcome_analysis: analysis })
  })

  test('a second save takes the place of the first, which is kept', async () => {
    const id = await archived()
    await save(id)
    const { body } = await save(id, segment('S0', { outcome: failure }))
    expect(body).toMatchObject({
      superseded_previous: true,
      outcome_analysis: { root_outcome: 'Failure', superseded_at: null },
    })
    const { rows } = await app.pool.query(
      'select root_outcome, superseded_at is null as is_current from outcome_analyses where session_id = $1 order by id',
      [id],
    )
    expect(rows).toEqual([
      { root_outcome: 'Success', is_current: false },
      { root_outcome: 'Failure', is_current: true },
    ])
    expect((await app.get(`/outcome_analyses/${id}`)).body.outcome_analysis.root_outcome).toBe('Failure')
  })

  test('of 20 concurrent saves one is current, and each of the others was superseded once', async () => {
    const id = await archived()
    const answers = await Promise.all(Array.from({ length: 20 }, () => save(id)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(answers.filter(({ body }) => !body.superseded_previous)).toHaveLength(1)
    const { rows } = await app.pool.query(
      'select count(*)::int as rows, count(*) filter (where superseded_at is null)::int as current from outcome_analyses where session_id = $1',
      [id],
    )
    expect(rows).toEqual([{ rows: 20, current: 1 }])
  })

  test('a correction of a segment that succeeded is saved with a warning', async () => {
    const root = segment('S0', { children: [segment('S0.0'), segment('S0.1', correction)] })
    const { status, body } = await save(await archived(), root)
    expect([status, body.warnings]).toEqual([201, ['Segment S0.1: it corrects a segment that succeeded']])
  })

  test('a tree may have 5000 segments and 32 levels, and texts of any alphabet up to their limits', async () => {
    const wide = segment('S0', { children: Array.from({ length: 4999 }, (_, index) => segment(`S0.${index}`)) })
    expect((await save(await archived(), wide)).status).toBe(201)
    expect((await save(await archived(), chain(32))).body.outcome_analysis.max_depth).toBe(32)
    const goal = { text: `  ${'🚂'.repeat(500)} `, kind: 'Plan' }
    const outcome = { kind: 'Success', explanation: '🛤'.repeat(140) }
    expect((await save(await archived(), segment('S0', { goal, outcome }))).body.outcome_analysis.root.goal.text).toBe(
      '🚂'.repeat(500),
    )
  })

  test('notes are cut to 1000 characters, and texts of meta to 200', async () => {
    const meta = { model: 'm'.repeat(300), event_range: ['a'.repeat(300), 'b'] }
    const { body } = await save(await archived(), segment('S0', { meta }), { notes: '🚂'.repeat(1200) })
    expect(body.outcome_analysis.notes).toBe('🚂'.repeat(1000))
    expect(body.outcome_analysis.root.meta).toMatchObject({
      model: 'm'.repeat(200),
      event_range: ['a'.repeat(200), 'b'],
    })
  })

  test('an analyzer that does not exist is left out', async () => {
    for (const analyzer_session_id of [999_999, 'nobody', {}, -1])
      expect(
        (await save(await archived(), segment('S0'), { analyzer_session_id })).body.outcome_analysis
          .analyzer_session_id,
      ).toBe(null)
  })
})

/** A tree in which each segment has one child. */
function chain(levels: number): Node {
  const ids = Array.from({ length: levels }, (_, level) =>
    ['S', ...Array(level + 1).fill('0')].join('.').replace('S.', 'S'),
  )
  return ids.reduceRight<Node | undefined>(
    (child, id) => segment(id, { children: child ? [child] : [] }),
    undefined,
  ) as Node
}

describe('POST /outcome_analyses refuses', () => {
  test.each([[999_999], ['no-such-session'], [''], [null], [undefined], [-1], [1.5], [{}], ['99999999999999999999']])(
    'the session %j with 404, before it looks at the tree',
    async (session_id) => {
      expectProblem(await save(session_id, 'no tree'), 404, 'Not Found')
    },
  )

  test('the answer for an unknown session names it', async () => {
    expectProblem(await save('lost'), 404, 'Not Found', 'No session matches session_id lost')
  })

  test('a session that is not archived with 422 Unanalyzable session, before it looks at the tree', async () => {
    const id = await insertSession(app.pool, { status: 'failed' })
    expectProblem(
      await save(id, 'no tree'),
      422,
      'Unanalyzable session',
      'Only an archived session can be analysed; this one is failed',
    )
  })

  test('a session that analysed another one with 422 Unanalyzable session', async () => {
    const analyzer = await archived()
    await save(await archived(), segment('S0'), { analyzer_session_id: analyzer })
    expectProblem(await save(analyzer), 422, 'Unanalyzable session')
  })

  test('a bad tree with 422 that names every problem by its place, and stores nothing', async () => {
    const root = segment('S0', {
      trigger: { kind: 'Correction', source: 'user' },
      children: [
        segment('S0.0', { ...correction, outcome: { kind: 'Success' } }),
        segment('S0.7', { outcome: { kind: 'Success', explanation: 'x'.repeat(141) } }),
        { id: 'S0.2' },
        7,
        segment('S0.4', { goal: { text: ' ', kind: 'Wish' }, meta: { event_range: ['e1'] }, children: {} }),
        segment('S0.5', { trigger: 'New', meta: [], goal: { text: 'x'.repeat(501), kind: 'Plan' } }),
      ],
    })
    expect(await problemsOf(root, { schema_version: '2', notes: 7 })).toEqual([
      'schema_version must be "1"',
      'notes must be a string',
      'Segment S0: trigger.kind must not be Correction without a segment before it',
      'Segment S0.0: trigger.kind must not be Correction without a segment before it',
      'Segment S0.0: outcome.explanation is required',
      'Segment S0.1: id must be S0.1, as its place says',
      'Segment S0.1: outcome.explanation is too long (maximum is 140 characters)',
      'Segment S0.2: trigger.kind must be one of: New, Correction',
      'Segment S0.2: trigger.source must be one of: user, agent, subagent',
      'Segment S0.2: goal.text is required',
      'Segment S0.2: goal.kind must be one of: Plan, Action',
      'Segment S0.2: outcome.kind must be one of: Success, Failure',
      'Segment S0.2: outcome.explanation is required',
      'Segment S0.3: must be an object',
      'Segment S0.4: goal.text is required',
      'Segment S0.4: goal.kind must be one of: Plan, Action',
      'Segment S0.4: meta.event_range must be null or a pair of strings',
      'Segment S0.4: children must be a list',
      'Segment S0.5: trigger must be an object',
      'Segment S0.5: trigger.kind must be one of: New, Correction',
      'Segment S0.5: trigger.source must be one of: user, agent, subagent',
      'Segment S0.5: goal.text is too long (maximum is 500 characters)',
      'Segment S0.5: meta must be an object',
    ])
  })

  test.each([[null], ['S0'], [[]], [7]])('the root %j with 422', async (root) => {
    expect(await problemsOf(root)).toEqual(['Segment S0: must be an object'])
  })

  test('a missing root with 422', async () => {
    const answer = await app.post('/outcome_analyses', { session_id: await archived() })
    expectProblem(answer, 422, 'Invalid Segment tree', 'Segment S0: must be an object')
  })

  test('more than 50 problems, of which it names 50 and counts the others', async () => {
    const problems = await problemsOf(segment('S0', { children: Array.from({ length: 60 }, () => 7) }))
    expect(problems).toHaveLength(51)
    expect(problems.at(-1)).toBe('(and 10 more problems)')
  })

  test('a tree with more than 5000 segments or 32 levels', async () => {
    const wide = segment('S0', { children: Array.from({ length: 5000 }, (_, index) => segment(`S0.${index}`)) })
    expect(await problemsOf(wide)).toEqual(['The tree has more than 5000 segments'])
    expect(await problemsOf(chain(33))).toEqual([
      expect.stringMatching(/^Segment S0(\.0){31}: the tree has more than 32 levels$/),
    ])
  })

  test('a body that is nested without end', async () => {
    const body = `{"session_id":1,"root":${'{"children":['.repeat(50_000)}${']}'.repeat(50_000)}}`
    const headers = { 'content-type': 'application/json', 'x-api-key': testKey }
    expect((await app.send('/api/v1/outcome_analyses', { method: 'POST', headers, body })).status).toBe(422)
  })
})

describe('GET /outcome_analyses', () => {
  test('current analyses are listed newest first without their trees, and the page counts them', async () => {
    const [first, second] = [await archived(), await archived()]
    await save(first)
    await save(second)
    await save(first)
    const { body } = await app.get('/outcome_analyses?per_page=100')
    const sessions = body.outcome_analyses.map(({ session_id }: { session_id: number }) => session_id)
    expect(sessions.slice(0, 2)).toEqual([first, second])
    expect(new Set(sessions).size).toBe(sessions.length)
    expect(body.outcome_analyses[0]).not.toHaveProperty('root')
    expect(body.pagination.total_count).toBe(sessions.length)
    await app.pool.query('delete from sessions where id = $1', [second])
    expect((await app.get('/outcome_analyses')).body.pagination.total_count).toBe(sessions.length - 1)
  })

  test.each([
    ['agent_root=only-here', { metadata: { agent_root_key: 'only-here' } }, 'Success'],
    ['agent_runtime=only-runtime', { agent_runtime: 'only-runtime' }, 'Success'],
    ['model=only-model', { config: { model: 'only-model' } }, 'Success'],
    ['from=1990-02-03&to=1990-02-03', { created_at: '1990-02-03T23:59:59.999Z' }, 'Success'],
    ['outcome=Failure&from=1991-02-03&to=1991-02-03', { created_at: '1991-02-03T00:00:00Z' }, 'Failure'],
  ])('%s finds exactly the analyses it is about', async (query, columns, kind) => {
    const id = await archived(columns)
    await save(id, segment('S0', { outcome: { kind, explanation: 'So it was.' } }))
    await save(await archived({ created_at: '1990-02-04T00:00:00Z' }))
    await save(await archived({ created_at: '1991-02-03T00:00:00Z' }))
    const { body } = await app.get(`/outcome_analyses?${query}`)
    expect(body.outcome_analyses.map(({ session_id }: { session_id: number }) => session_id)).toEqual([id])
    expect(body.pagination.total_count).toBe(1)
  })

  test('the outcome any narrows nothing', async () => {
    const all = (await app.get('/outcome_analyses')).body.pagination.total_count
    expect((await app.get('/outcome_analyses?outcome=any')).body.pagination.total_count).toBe(all)
  })

  test.each([
    ['outcome=Maybe', 'Outcome must be one of: Success, Failure, any'],
    ['outcome=success', 'Outcome must be one of: Success, Failure, any'],
    ['from=yesterday', 'From must be a date, such as 2026-08-22'],
    ['to=2026-02-30', 'To must be a date, such as 2026-08-22'],
  ])('%s answers 422 Invalid filter, never an empty page', async (query, sentence) => {
    expectProblem(await app.get(`/outcome_analyses?${query}`), 422, 'Invalid filter', sentence)
  })
})

describe('GET /outcome_analyses/{id}', () => {
  test('a session without an analysis, and a session that does not exist, answer 404', async () => {
    expect((await app.get(`/outcome_analyses/${await archived()}`)).status).toBe(404)
    for (const id of ['999999', 'nobody', '99999999999999999999'])
      expect((await app.get(`/outcome_analyses/${id}`)).status).toBe(404)
  })
})
