import { createHash, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { recordUsage } from '../../../src/domain/costs/cost.ts'
import { refreshTranscript } from '../../../src/domain/lifecycle/refresh.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import type { Usage } from '../../../src/runtimes/usage.ts'
import { testApp } from '../../support/app/app.ts'
import { sweepHelpers } from '../../support/costs/sweeps.ts'
import { differencesOfHours, usageWith } from '../../support/costs/usage-rows.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { insertSession, insertSessions } from '../../support/sessions/session-rows.ts'
import { onOneDay } from '../../support/vitest/on-one-day.ts'

const app = testApp()
const { create, reaches, settled } = sessionHelpers(app)
const { sweepAll } = sweepHelpers(app)
const oneDay = onOneDay()
afterEach(() => vi.restoreAllMocks())

async function usageOf(id: number): Promise<Record<string, unknown>[]> {
  const { rows } = await app.pool.query(
    `select subagent, model, agent_runtime, runtime_session_id, input_tokens::int, output_tokens::int
     from session_usage where session_id = $1 order by id`,
    [id],
  )
  return rows
}

test('every model call is recorded when its turn ends, and calls of subagents are marked', async () => {
  const id = await create('usage 100 20\nspawn usage 7 3\nusage 0 0\nusage 5 1')
  await reaches(id, 'needs_input')
  const { session_id } = await findDemo(app, id)
  const common = { model: 'demo', agent_runtime: 'demo', runtime_session_id: session_id }
  const rows = await usageOf(id)
  expect(rows).toHaveLength(3)
  expect(rows).toEqual(
    expect.arrayContaining([
      { ...common, subagent: false, input_tokens: 100, output_tokens: 20 },
      { ...common, subagent: false, input_tokens: 5, output_tokens: 1 },
      { ...common, subagent: true, input_tokens: 7, output_tokens: 3 },
    ]),
  )
})

test('reading a transcript again records no call twice', async () => {
  const id = await create('usage 10 2')
  await reaches(id, 'needs_input')
  await settled(id)
  // Resets the read position: the entries are stored again, the calls are already recorded.
  await app.pool.query('update transcript_threads set read_bytes = 0 where session_id = $1', [id])
  expect((await refreshTranscript(app.host.app, { id })).appended).toBeGreaterThan(0)
  expect(await usageOf(id)).toHaveLength(1)
})

test('a call that occurs twice in one batch is recorded once', async () => {
  const usage = usageWith({ request_id: 'req-twice' })
  const id = await create()
  const owner = { session_id: id, agent_root: null, agent_runtime: 'demo', runtime_session_id: null }
  await transact(app.host.app.db, (tx) => recordUsage(app.host.app, tx, owner, [usage, { ...usage }]))
  expect(await usageOf(id)).toHaveLength(1)
})

test('a line that reports an impossible usage is stored, and the usage is not recorded', async () => {
  const entry = (requestId: string, tokens: number, timestamp = '2026-01-01T00:00:00Z') =>
    JSON.stringify({
      type: 'assistant',
      requestId,
      timestamp,
      message: { model: 'demo', usage: { input_tokens: tokens, output_tokens: 1 } },
    })
  const long = Array.from({ length: 500 }, (_, n) => createHash('sha256').update(String(n)).digest('hex')).join('')
  const lines = [
    entry(long, 1),
    entry('too-many', Number.MAX_SAFE_INTEGER),
    entry('more-than-any-call', 10_000_001),
    entry('too-late', 1, new Date(Date.now() + 2 * 86_400_000).toISOString()),
    entry(`fine-${randomUUID()}`, 7),
  ]
  const id = await create(`run printf '%s\\n' '${lines.join("' '")}' >> $(ls $HOME/transcripts/*.jsonl)\nsay after`)
  expect((await reaches(id, 'needs_input', 'failed')).status).toBe('needs_input')
  expect((await usageOf(id)).map(({ input_tokens }) => input_tokens)).toEqual([7])
})

test.each(['-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '1999-12-31T23:59:59Z', 'no time'])(
  'a call that claims to be of %s is not recorded, and the others with it are',
  async (time) => {
    const id = await create()
    const owner = { session_id: id, agent_root: null, agent_runtime: 'demo', runtime_session_id: null }
    const usages = [usageWith({ called_at: new Date(time) }), usageWith()]
    expect(await transact(app.host.app.db, (tx) => recordUsage(app.host.app, tx, owner, usages))).toMatchObject({
      calls: 1,
    })
    expect(await usageOf(id)).toHaveLength(1)
  },
)

test.each([
  ['id with a NUL', { request_id: 'nul-\0' }],
  ['model with a NUL', { model: 'nul-\0' }],
  ['tier with a NUL', { service_tier: 'nul-\0' }],
  ['tier of 501 characters', { service_tier: 'x'.repeat(501) }],
])('a call that has an unusable text (%s) is not recorded, and the others with it are', async (_, columns) => {
  const id = await create()
  const owner = { session_id: id, agent_root: null, agent_runtime: 'demo', runtime_session_id: null }
  const usages = [usageWith(columns), usageWith()]
  expect(await transact(app.host.app.db, (tx) => recordUsage(app.host.app, tx, owner, usages))).toMatchObject({
    calls: 1,
    suspect: 1,
  })
})

test('a runtime that reports whole turns may report more than any single call uses', async () => {
  const id = await create()
  const usages = [usageWith({ cache_read_tokens: 400_000_000 }), usageWith({ cache_read_tokens: 1_000_000_001 })]
  const owner = { session_id: id, agent_root: null, agent_runtime: 'demo', runtime_session_id: null }
  const record = () => transact(app.host.app.db, (tx) => recordUsage(app.host.app, tx, owner, usages))
  await ran(id, '10 minutes')
  expect(await record()).toMatchObject({ calls: 0, suspect: 2 })
  vi.spyOn(app.host.app.runtimes, 'find').mockReturnValue({ ...demoRuntime, reportsWholeTurns: true })
  expect(await record()).toMatchObject({ calls: 1, tokens: 400_000_002 })
})

test('calls beyond what an agent can make in the time it ran are suspect: they are not recorded, and the others are', async () => {
  const id = await insertSession(app.pool)
  const owner = { session_id: id, agent_root: null, agent_runtime: 'demo', runtime_session_id: null }
  const record = (count: number, source?: 'status_summary') => {
    const usages = Array.from({ length: count }, () => usageWith({ request_id: randomUUID(), input_tokens: 9_000_000 }))
    return transact(app.host.app.db, (tx) =>
      recordUsage(app.host.app, tx, { ...owner, ...(source && { source }) }, usages),
    )
  }
  expect(await record(20)).toMatchObject({ calls: 11, suspect: 9 })
  expect(await record(5)).toMatchObject({ calls: 0, suspect: 5 })
  expect(await usageOf(id)).toHaveLength(11)
  await ran(id, '1 minute')
  expect(await record(20)).toMatchObject({ calls: 6, suspect: 14 })
  expect(await record(2, 'status_summary')).toMatchObject({ calls: 2, suspect: 0 })
})

test('people are told once a day that an agent reported calls that it cannot have made', oneDay, async () => {
  // More than an agent may use in the minutes that a busy machine needs for this turn.
  const forged = Array.from({ length: 60 }, () => 'usage 9000000 0').join('\n')
  const id = await create(forged)
  await reaches(id, 'needs_input')
  await settled(id)
  const { rows } = await app.pool.query(
    "select notification_type, body from notifications where session_id = $1 and marker like 'suspect calls %'",
    [id],
  )
  expect(rows).toEqual([
    { notification_type: 'custom_message', body: expect.stringContaining('cannot have been made') },
  ])
  const counted = (await usageOf(id)).length
  expect(counted).toBeLessThan(60)
  expect((await app.get(`/sessions/${id}`)).body.session.metadata.has_suspect_calls).toBe(true)
  await app.post('/costs/backfill')
  await sweepAll()
  expect(await usageOf(id)).toHaveLength(counted)
})

async function ran(sessionId: number, time: string): Promise<void> {
  await app.pool.query(
    `insert into turns (session_id, sequence, prompt, source, state, outcome, started_at, ended_at)
     values ($1, 99, 'p', 'create', 'ended', 'completed', now() - $2::interval, now())`,
    [sessionId, time],
  )
}

describe('a call that is reported again', () => {
  const record = (owner: object, usage: Usage) =>
    transact(app.host.app.db, (tx) =>
      recordUsage(
        app.host.app,
        tx,
        { session_id: null, agent_root: null, agent_runtime: 'demo', runtime_session_id: null, ...owner },
        [usage],
      ),
    )
  const recorded = async (requestId: string) => {
    const { rows } = await app.pool.query(
      `select session_id::int, agent_root, model, input_tokens::int, output_tokens::int, cache_read_tokens::int
       from session_usage where request_id = $1`,
      [requestId],
    )
    return rows
  }

  test('a later report raises the figures of a call, names its model, session and root, and counts no new call', async () => {
    const session_id = await insertSession(app.pool)
    const first = usageWith({ model: 'unknown', input_tokens: 10, output_tokens: 9 })
    expect(await record({}, first)).toMatchObject({ calls: 1, tokens: 19 })
    const later = { ...first, model: 'demo', input_tokens: 4, output_tokens: 20, cache_read_tokens: 5 }
    expect(await record({ session_id, agent_root: 'web' }, later)).toMatchObject({ calls: 0, tokens: 0 })
    const whole = {
      session_id,
      agent_root: 'web',
      model: 'demo',
      input_tokens: 10,
      output_tokens: 20,
      cache_read_tokens: 5,
    }
    expect(await recorded(first.request_id)).toEqual([whole])
    await record({ session_id, agent_root: 'api' }, { ...later, model: 'other', output_tokens: 1 })
    expect(await recorded(first.request_id)).toEqual([whole])
    expect(await differencesOfHours(app.pool)).toEqual([])
  })

  test('a report changes no call of another session, of a deleted session, or of the service itself', async () => {
    const [mine, other] = await insertSessions(app.pool, [{}, {}])
    const owners = [
      { session_id: other, runtime_session_id: 'theirs' },
      { session_id: null, runtime_session_id: 'of-a-deleted-session' },
      { session_id: mine, source: 'status_summary' },
    ]
    for (const owner of owners) {
      const usage = usageWith({ model: 'unknown' })
      await record(owner, usage)
      const before = await recorded(usage.request_id)
      const forged = { ...usage, model: 'demo', input_tokens: 1000 }
      await record({ session_id: mine, agent_root: 'web', runtime_session_id: 'mine' }, forged)
      expect(await recorded(usage.request_id)).toEqual(before)
    }
    expect(await differencesOfHours(app.pool)).toEqual([])
  })
})
