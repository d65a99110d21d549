import { afterEach, beforeAll, expect, test } from 'vitest'
import { dollarsOf, recordUsage } from '../../../src/domain/costs/cost.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import type { Usage } from '../../../src/runtimes/usage.ts'
import { testApp } from '../../support/app/app.ts'
import { usageWith } from '../../support/costs/usage-rows.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { onOneDay, today } from '../../support/vitest/on-one-day.ts'

const app = testApp()
const oneDay = onOneDay()
const owner = { session_id: 0, agent_root: 'web', agent_runtime: 'demo', runtime_session_id: 'conversation' }

beforeAll(async () => {
  owner.session_id = await insertSession(app.pool)
})

afterEach(() => app.pool.query('delete from spend_days'))

const record = (usage: Usage, more = {}) =>
  transact(app.host.app.db, (tx) => recordUsage(app.host.app, tx, { ...owner, ...more }, [usage]))

async function spent(): Promise<Record<string, unknown>[]> {
  const { rows } = await app.pool.query(
    `select to_char(day, 'YYYY-MM-DD') as day, model, tokens::int, input_tokens::int as input, output_tokens::int as output
     from spend_days order by day, model`,
  )
  return rows
}

const noVolumes = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_5m_tokens: 0,
  cache_creation_1h_tokens: 0,
  cache_creation_unsplit_tokens: 0,
  web_search_requests: 0,
}

test('a later report of a call adds to the day only what it adds to the call', oneDay, async () => {
  const usage = usageWith({ input_tokens: 100, output_tokens: 10 })
  expect(await record(usage)).toMatchObject({ calls: 1, tokens: 110, reports: 1 })
  expect(await record({ ...usage, input_tokens: 40, output_tokens: 25 })).toMatchObject({
    calls: 0,
    tokens: 0,
    reports: 1,
  })
  expect(await record(usage)).toMatchObject({ calls: 0, tokens: 0, reports: 0 })
  expect(await spent()).toEqual([{ day: today(), model: 'demo', tokens: 125, input: 100, output: 25 }])
})

test('a call that gets its model later is priced as a whole, and its tokens count once', oneDay, async () => {
  const usage = usageWith({ model: 'unknown', input_tokens: 100, output_tokens: 0 })
  await record(usage)
  await record({ ...usage, model: 'demo', output_tokens: 1 })
  expect(await spent()).toEqual([
    { day: today(), model: 'demo', tokens: 1, input: 100, output: 1 },
    { day: today(), model: 'unknown', tokens: 100, input: 100, output: 0 },
  ])
})

test(
  'history counts on the day of the call, and a call of the future on the day of its recording',
  oneDay,
  async () => {
    await record(usageWith({ called_at: new Date('2026-01-31T23:00:00Z'), input_tokens: 1, output_tokens: 0 }), {
      isHistory: true,
    })
    await record(usageWith({ called_at: new Date(Date.now() + 86_000_000), input_tokens: 2, output_tokens: 0 }), {
      isHistory: true,
    })
    await record(usageWith({ called_at: new Date('2026-01-31T23:00:00Z'), input_tokens: 4, output_tokens: 0 }))
    expect(await spent()).toMatchObject([
      { day: '2026-01-31', tokens: 1 },
      { day: today(), tokens: 6 },
    ])
  },
)

test('reports of one call that are recorded at the same time are counted once', oneDay, async () => {
  const usage = usageWith({ input_tokens: 100 })
  await Promise.all(Array.from({ length: 8 }, (_, more) => record({ ...usage, output_tokens: more })))
  expect(await spent()).toEqual([{ day: today(), model: 'demo', tokens: 107, input: 100, output: 7 }])
})

test('deleting a session or its calls subtracts nothing and counts nothing again', oneDay, async () => {
  const gone = await insertSession(app.pool)
  await record(usageWith({ input_tokens: 5, output_tokens: 0 }), { session_id: gone })
  await app.pool.query('delete from sessions where id = $1', [gone])
  await app.pool.query('delete from session_usage')
  expect(await spent()).toMatchObject([{ tokens: 5 }])
})

test(
  'an agent that forges names of models adds few rows to a day, and no call gets cheaper by it',
  oneDay,
  async () => {
    const [real, forged] = ['claude-opus-4-1', Array.from({ length: 100 }, (_, n) => `forged-${n}`)]
    const session_id = await insertSession(app.pool)
    const report = (models: readonly string[]) =>
      transact(app.host.app.db, (tx) =>
        recordUsage(
          app.host.app,
          tx,
          { ...owner, session_id },
          models.map((model) => usageWith({ model, input_tokens: 1, output_tokens: 0 })),
        ),
      )
    await report(['first', ...forged])
    for (const model of forged.slice(0, 3)) await report([`${model}-again`])
    await report(['first', real])
    const days = await spent()
    expect(days.length).toBeLessThanOrEqual(22)
    expect(days.reduce((sum, { tokens }) => sum + Number(tokens), 0)).toBe(106)
    expect(days).toContainEqual(expect.objectContaining({ model: 'first', tokens: 2 }))
    const { table } = await app.host.app.prices.asOf()
    const opus = days.find(({ model }) => String(model).includes('opus'))
    expect(dollarsOf(table, String(opus?.model), { ...noVolumes, input_tokens: 1e6 })).toBe(
      dollarsOf(table, real, { ...noVolumes, input_tokens: 1e6 }),
    )
  },
)
