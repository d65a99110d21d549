import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { refusingCommits } from '../../support/database/refuse-commits.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

/** Without workers: analyzers stay as they were created, and tests write what they answered. */
const app = testApp({ environment: { ROLE: 'web' } })
beforeEach(async () => {
  await app.pool.query('delete from outcome_batches')
  await app.pool.query('delete from sessions')
})

const line = (role: 'user' | 'assistant', text: string): string =>
  JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] } })

async function archived(columns: Record<string, unknown> = {}, ...texts: string[]): Promise<number> {
  const id = await insertSession(app.pool, { status: 'archived', archived_at: new Date(), ...columns })
  await insertTranscript(app.pool, id, [line('user', 'fix the login'), ...texts.map((text) => line('assistant', text))])
  return id
}

type Item = { session_id: number; state: string; reason: string | null; analyzer_session_id: number | null }
type Batch = { id: number; counts: Record<string, number>; items: Item[] }

const analyze = (body: unknown) => app.post('/outcome_analyses/analyze', body)
const started = async (body: unknown): Promise<number> => {
  const answer = await analyze(body)
  expect(answer).toMatchObject({ status: 202 })
  return answer.body.analysis_batch.id
}
const batchOf = async (id: number): Promise<Batch> =>
  (await app.get(`/outcome_analyses/batches/${id}`)).body.analysis_batch
const advance = () => runPeriodic(app.host.app, 'advance_outcome_analyses')
const analyzersOf = async (id: number): Promise<number[]> =>
  (await batchOf(id)).items.flatMap(({ state, analyzer_session_id: analyzer }) =>
    state === 'running' && analyzer !== null ? [analyzer] : [],
  )

/** As if the analyzer had run its turn and said this. */
async function answers(analyzer: number, text: string): Promise<void> {
  await app.pool.query(
    "update turns set state = 'ended', outcome = 'completed', ended_at = now() where session_id = $1 and state <> 'ended'",
    [analyzer],
  )
  await app.pool.query(
    `with thread as (
       insert into transcript_threads (session_id, thread, entry_count) values ($1, 'main', 1)
       on conflict (session_id, thread) do update set entry_count = transcript_threads.entry_count + 1
       returning entry_count
     )
     insert into transcript_entries (session_id, thread, sequence, line) select $1, 'main', entry_count, $2 from thread`,
    [analyzer, line('assistant', text)],
  )
  await app.pool.query("update sessions set status = 'needs_input' where id = $1", [analyzer])
}

const tree = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    notes: 'short',
    root: {
      id: 'S0',
      trigger: { kind: 'New', source: 'user' },
      goal: { text: 'Fix the login', kind: 'Action' },
      outcome: { kind: 'Success', explanation: 'Done.' },
      ...more,
    },
  })

async function running(): Promise<{ session: number; batch: number; analyzer: number }> {
  const session = await archived()
  const batch = await started({ session_ids: [session] })
  await advance()
  const [analyzer = 0] = await analyzersOf(batch)
  return { session, batch, analyzer }
}

describe('POST /outcome_analyses/analyze', () => {
  test('POST /outcome_analyses/analyze queues the named sessions once each, by id or slug', async () => {
    const first = await archived({ slug: 'fix-login' })
    const second = await archived()
    const { status, body } = await analyze({ session_ids: ['fix-login', String(second), first], concurrency: 2 })
    const item = { state: 'queued', reason: null, analyzer_session_id: null, started_at: null, ended_at: null }
    const batch = {
      id: expect.any(Number),
      concurrency: 2,
      created_at: expect.stringMatching(/Z$/),
      counts: { queued: 2, running: 0, saved: 0, failed: 0, cancelled: 0 },
      items: [
        { session_id: first, ...item },
        { session_id: second, ...item },
      ],
    }
    expect([status, body]).toEqual([202, { analysis_batch: batch }])
    expect(await batchOf(body.analysis_batch.id)).toEqual(body.analysis_batch)
  })

  test('filters freeze the archived sessions without an analysis that they find, newest first', async () => {
    const facts = { config: { model: 'family_c-5' }, metadata: { agent_root_key: 'web' } }
    const day = (number: number) => ({ ...facts, created_at: `2026-08-0${number}T10:00:00Z` })
    const older = await archived(day(2))
    const newer = await archived(day(3))
    await archived(day(1))
    await archived({ ...day(2), config: { model: 'other' } })
    await archived({ ...day(2), metadata: {} })
    await archived({ ...day(2), agent_runtime: 'runtime_alpha' })
    await insertSession(app.pool, { ...day(2), status: 'archived', archived_at: new Date() })
    await insertTranscript(app.pool, await insertSession(app.pool, { ...day(2), status: 'needs_input' }), ['{}'])
    const done = await archived(day(2))
    await app.post('/outcome_analyses', { session_id: done, ...JSON.parse(tree()) })
    await started({ session_ids: [await archived(day(2))] })
    const filters = {
      from: '2026-08-02',
      to: '2026-08-03',
      agent_root: 'web',
      agent_runtime: 'demo',
      model: 'family_c-5',
    }
    const batch = await started(filters)
    expect((await batchOf(batch)).items.map(({ session_id }) => session_id)).toEqual([newer, older])
    expectProblem(
      await analyze(filters),
      422,
      'Unanalyzable session',
      'No archived session without an analysis matches the filters',
    )
  })

  test('what cannot be analysed is refused by its label, and no batch is made', async () => {
    const ready = await archived()
    const busy = await archived()
    const batch = await started({ session_ids: [busy] })
    await advance()
    const [analyzer = 0] = await analyzersOf(batch)
    await app.pool.query("update sessions set status = 'archived', archived_at = now() where id = $1", [analyzer])
    await insertTranscript(app.pool, analyzer, [line('assistant', 'hello')])
    const unarchived = await insertSession(app.pool, { status: 'needs_input' })
    const silent = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
    const refusals: [unknown[], number, string, string][] = [
      [[ready, 999_999], 404, 'Not Found', 'No session matches 999999'],
      [['nowhere'], 404, 'Not Found', 'No session matches nowhere'],
      [[unarchived], 422, 'Unanalyzable session', 'Only an archived session can be analysed; this one is needs_input'],
      [[silent], 422, 'Unanalyzable session', `Session ${silent} has no transcript`],
      [[ready, busy], 422, 'Unanalyzable session', `Session ${busy} is being analysed`],
      [[analyzer], 422, 'Unanalyzable session', 'The session analysed another one and cannot be analysed itself'],
    ]
    for (const [session_ids, status, error, message] of refusals)
      expectProblem(await analyze({ session_ids }), status, error, message)
    const both = 'Session ids or filters must be given, and not both'
    expectProblem(await analyze({}), 422, 'Validation failed', both)
    expectProblem(await analyze({ session_ids: [ready], model: 'm' }), 422, 'Validation failed', both)
    for (const wrong of [{ session_ids: [] }, { session_ids: [{}] }, { session_ids: [ready], concurrency: 21 }])
      expectProblem(await analyze(wrong), 422, 'Validation failed')
    expect((await app.pool.query('select from outcome_batches')).rows).toHaveLength(1)
    expectProblem(await app.get('/outcome_analyses/batches/999999'), 404, 'Not Found')
    expectProblem(await app.post('/outcome_analyses', { session_id: analyzer, root: {} }), 422, 'Unanalyzable session')
  })
})

describe('a batch', () => {
  test('never has more analyzers than its concurrency, whatever the number of hosts that advance it', async () => {
    const ids = []
    for (let index = 0; index < 5; index += 1) ids.push(await archived())
    const batch = await started({ session_ids: ids, concurrency: 2 })
    const sessions: number[][] = []
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 4 }, advance))
      const analyzers = await analyzersOf(batch)
      sessions.push(analyzers)
      for (const analyzer of analyzers) await answers(analyzer, tree())
    }
    expect(sessions.map(({ length }) => length)).toEqual([2, 2, 1, 0])
    expect((await batchOf(batch)).counts).toEqual({ queued: 0, running: 0, saved: 5, failed: 0, cancelled: 0 })
    const { rows } = await app.pool.query(
      "select (custom_metadata ->> 'analyzed_session_id')::int as of, status from sessions where custom_metadata ? 'analyzed_session_id' order by 1",
    )
    expect(rows).toEqual(ids.map((of) => ({ of, status: 'archived' })))
    expect((await app.pool.query('select from outcome_analyses')).rows).toHaveLength(5)
  })

  test('an analyzer is a spot session of the configured root whose prompt quotes the transcript', async () => {
    const { session, analyzer } = await running()
    const { body } = await app.get(`/sessions/${analyzer}`)
    expect(body.session).toMatchObject({
      title: `Analyse the outcome of session ${session}`,
      scheduling_class: 'spot',
      metadata: { agent_root_key: 'outcome_analyzer' },
      custom_metadata: { spawned_by: 'outcome-analysis', analyzed_session_id: session },
    })
    const [, tag] = /with the tag (conversation-[0-9a-f]{32}) is quoted/.exec(body.session.prompt) ?? []
    expect(body.session.prompt).toMatch(new RegExp(`<${tag}>\\n--- User ---\\nfix the login\\n\\n</${tag}>$`))
  })

  test('of a long transcript the middle is left out', async () => {
    const session = await archived({}, `start ${'x'.repeat(250_000)}`, `${'y'.repeat(250_000)} end`)
    const batch = await started({ session_ids: [session] })
    await advance()
    const [analyzer] = await analyzersOf(batch)
    const { prompt } = (await app.get(`/sessions/${analyzer}`)).body.session
    expect(prompt).toMatch(/start x+\n\[\d+ characters are left out here\]\ny+ end/)
    expect(prompt.length).toBeLessThan(405_000)
  })

  test('a tree that is refused is sent back with its problems, and saved once it is mended', async () => {
    const { session, batch, analyzer } = await running()
    await answers(analyzer, tree({ id: 'S1' }))
    await Promise.all([advance(), advance()])
    const { body } = await app.get(`/sessions/${analyzer}`)
    expect(body.session.status).toBe('waiting')
    expect(body.session.prompt).toMatch(
      /^The analysis was refused\. .*\n- Segment S0: id must be S0, as its place says$/,
    )
    expect((await app.pool.query('select from turns where session_id = $1', [analyzer])).rows).toHaveLength(2)
    await answers(analyzer, `Here it is:\n\`\`\`json\n${tree({ goal: { text: 'a\0b', kind: 'Plan' } })}\n\`\`\``)
    await advance()
    expect((await batchOf(batch)).items).toMatchObject([
      { state: 'saved', reason: null, analyzer_session_id: analyzer },
    ])
    expect((await app.get(`/outcome_analyses/${session}`)).body.outcome_analysis).toMatchObject({
      analyzer_session_id: analyzer,
      notes: 'short',
      root: { goal: { text: 'ab' } },
    })
    expect((await app.get(`/sessions/${analyzer}`)).body.session.status).toBe('archived')
  })

  test('an item fails when two corrections did not help', async () => {
    const { session, batch, analyzer } = await running()
    for (const text of ['I cannot.', '{"root": {', tree({ outcome: { kind: 'Maybe', explanation: 'x' } })]) {
      expect((await batchOf(batch)).counts.running).toBe(1)
      await answers(analyzer, text)
      await advance()
    }
    expect((await batchOf(batch)).items).toMatchObject([
      { state: 'failed', reason: 'Segment S0: outcome.kind must be one of: Success, Failure' },
    ])
    expectProblem(await app.get(`/outcome_analyses/${session}`), 404, 'Not Found')
    await started({ session_ids: [session] })
  })

  test('an item fails when its analyzer failed, was archived or was deleted, or its session is gone', async () => {
    const ends: [string, (of: { session: number; analyzer: number }) => Promise<unknown>][] = [
      [
        'The analyzer session failed',
        ({ analyzer }) => app.pool.query("update sessions set status = 'failed' where id = $1", [analyzer]),
      ],
      [
        'The analyzer session was archived',
        ({ analyzer }) => app.post(`/sessions/${analyzer}/archive`, { force: true }),
      ],
      [
        'The analyzer session was deleted',
        ({ analyzer }) => app.pool.query('delete from sessions where id = $1', [analyzer]),
      ],
      [
        'Only an archived session can be analysed; this one is needs_input',
        async ({ session, analyzer }) => {
          await app.pool.query("update sessions set status = 'needs_input', archived_at = null where id = $1", [
            session,
          ])
          await answers(analyzer, tree())
        },
      ],
    ]
    for (const [reason, end] of ends) {
      const { batch, ...of } = await running()
      await end(of)
      await advance()
      expect((await batchOf(batch)).items).toMatchObject([{ state: 'failed', reason }])
    }
    const deleted = await archived()
    const batch = await started({ session_ids: [deleted] })
    await app.pool.query('delete from sessions where id = $1', [deleted])
    await advance()
    expect((await batchOf(batch)).items).toMatchObject([{ state: 'failed', reason: 'The session was deleted' }])
  })

  test('an analyzer that a person paused is left alone', async () => {
    const { batch, analyzer } = await running()
    await answers(analyzer, 'Not yet.')
    await app.pool.query(`update sessions set metadata = metadata || '{"paused_by": "user"}' where id = $1`, [analyzer])
    await advance()
    expect((await batchOf(batch)).counts.running).toBe(1)
    expect((await app.get(`/sessions/${analyzer}`)).body.session.status).toBe('needs_input')
  })
})

describe('POST /outcome_analyses/batches/:id/cancel', () => {
  const cancel = (id: number) => app.post(`/outcome_analyses/batches/${id}/cancel`)

  test('POST /outcome_analyses/batches/:id/cancel ends what waits and runs, archives the analyzers, and keeps what was saved', async () => {
    const ids = [await archived(), await archived(), await archived()]
    const batch = await started({ session_ids: ids, concurrency: 2 })
    await advance()
    const [saving = 0, working = 0] = await analyzersOf(batch)
    await answers(saving, tree())
    // Only the first item is settled: the third one must still wait.
    await app.pool.query('update outcome_batches set concurrency = 1 where id = $1', [batch])
    await advance()
    const { status, body } = await cancel(batch)
    expect(status).toBe(200)
    expect(body.analysis_batch).toMatchObject({
      counts: { queued: 0, running: 0, saved: 1, failed: 0, cancelled: 2 },
      items: [
        { state: 'saved' },
        { state: 'cancelled', reason: null },
        { state: 'cancelled', analyzer_session_id: null },
      ],
    })
    expect((await app.get(`/sessions/${working}`)).body.session.status).toBe('archived')
    await advance()
    expect((await batchOf(batch)).counts).toMatchObject({ cancelled: 2, running: 0 })
  })

  test('POST /outcome_analyses/batches/:id/cancel leaves sessions free for another batch, and answers a repeat and a finished batch as they are', async () => {
    const session = await archived()
    const batch = await started({ session_ids: [session] })
    const first = await cancel(batch)
    expect((await cancel(batch)).body).toEqual(first.body)
    const again = await started({ session_ids: [session] })
    await advance()
    const [analyzer = 0] = await analyzersOf(again)
    await answers(analyzer, tree())
    await advance()
    expect((await cancel(again)).body.analysis_batch.counts).toMatchObject({ saved: 1, cancelled: 0 })
  })

  test('an item is either started or cancelled when a host advances the batch at the same time', async () => {
    const batch = await started({ session_ids: [await archived(), await archived()], concurrency: 2 })
    await Promise.all([advance(), cancel(batch), advance()])
    await cancel(batch)
    await advance()
    const { counts, items } = await batchOf(batch)
    expect(counts).toMatchObject({ queued: 0, running: 0, cancelled: 2 })
    for (const { analyzer_session_id: analyzer } of items)
      if (analyzer !== null) expect((await app.get(`/sessions/${analyzer}`)).body.session.status).toBe('archived')
  })

  test('POST /outcome_analyses/batches/:id/cancel answers 404 for an unknown batch', async () => {
    expect((await cancel(999_999)).status).toBe(404)
  })
})

describe('outcome_analyses.changed', () => {
  /** How often it was published meanwhile. */
  const announced = async (act: () => Promise<unknown>): Promise<number> => {
    await app.pool.query('delete from events')
    await act()
    return (await app.pool.query("select from events where name = 'outcome_analyses.changed'")).rows.length
  }

  test('is published when a batch is made, when an item starts, when its analysis is saved, and when items are cancelled', async () => {
    const [one, other] = [await archived(), await archived()]
    let batch = 0
    const make = async () => {
      batch = await started({ session_ids: [one, other], concurrency: 1 })
    }
    expect(await announced(make)).toBe(1)
    expect(await announced(advance)).toBe(1)
    const [analyzer = 0] = await analyzersOf(batch)
    await answers(analyzer, tree())
    // The analysis and its item, and the start of the next one.
    expect(await announced(advance)).toBe(3)
    expect(await announced(() => app.post(`/outcome_analyses/batches/${batch}/cancel`))).toBe(1)
    expect(await announced(() => app.post(`/outcome_analyses/batches/${batch}/cancel`))).toBe(0)
  })

  test('is published when an analysis is saved by hand, and not if it is refused or rolled back', async () => {
    const session_id = await archived()
    const root = JSON.parse(tree()).root
    const save = (body: object) => app.post('/outcome_analyses', { session_id, ...body })
    expect(await announced(() => save({ root }))).toBe(1)
    expect(await announced(() => save({ root: {} }))).toBe(0)
    expect(await announced(() => app.post('/outcome_analyses/batches/999999/cancel'))).toBe(0)
    expect(await announced(() => refusingCommits(app.pool, 'outcome_analyses', () => save({ root })))).toBe(0)
  })
})
