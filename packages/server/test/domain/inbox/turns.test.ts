import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { pricedApp } from '../../support/costs/priced-app.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

// No host runs the turns that the tests insert.
const { app } = pricedApp({ ROLE: 'web' })

const at = (minute: number) => new Date(Date.UTC(2026, 7, 1, 12, minute))

async function insertTurn(id: number, columns: Record<string, unknown>): Promise<void> {
  const row = { session_id: id, source: 'follow_up', prompt: 'go on', created_at: at(0), ...columns }
  const names = Object.keys(row)
  await app.pool.query(
    `insert into turns (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
}

const ended = (from: number, to: number) => ({
  state: 'ended',
  outcome: 'completed',
  created_at: at(from),
  dispatched_at: at(from),
  started_at: at(from + 1),
  ended_at: at(to),
})

const turns = async (id: number, query = '') => (await app.get(`/sessions/${id}/turns${query}`)).body.turns

let id = 0
beforeEach(async () => {
  id = await insertSession(app.pool)
})

describe('GET /sessions/:session_id/turns answers 200', () => {
  test('GET /sessions/:session_id/turns answers 200 with the turns, the latest first, and every field', async () => {
    await insertTurn(id, { sequence: 1, source: 'create', ...ended(0, 5) })
    await insertTurn(id, {
      sequence: 2,
      ...ended(10, 15),
      outcome: 'failed',
      failure_reason: 'rate_limit',
      withdrawn_by: 'pause',
      trigger_id: 7,
    })
    await insertTurn(id, { sequence: 3, source: 'wake', created_at: at(20) })
    const nothing = { outcome: null, failure_reason: null, withdrawn_by: null, trigger_id: null, author: null }
    const cost = { first_entry: null, cost_usd: 0 }
    const answer = await app.get(`/sessions/${id}/turns`)
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        turns: [
          {
            ...nothing,
            ...cost,
            number: 3,
            source: 'wake',
            state: 'queued',
            created_at: '2026-08-01T12:20:00Z',
            started_at: null,
            ended_at: null,
          },
          {
            ...cost,
            number: 2,
            source: 'follow_up',
            state: 'ended',
            outcome: 'failed',
            failure_reason: 'rate_limit',
            withdrawn_by: 'pause',
            trigger_id: 7,
            author: null,
            created_at: '2026-08-01T12:10:00Z',
            started_at: '2026-08-01T12:11:00Z',
            ended_at: '2026-08-01T12:15:00Z',
          },
          {
            ...nothing,
            ...cost,
            number: 1,
            source: 'create',
            state: 'ended',
            outcome: 'completed',
            created_at: '2026-08-01T12:00:00Z',
            started_at: '2026-08-01T12:01:00Z',
            ended_at: '2026-08-01T12:05:00Z',
          },
        ],
        pagination: { page: 1, per_page: 25, total_count: 3, total_pages: 1 },
      },
    ])
  })

  test('GET /sessions/:session_id/turns answers 200 in pages, and with none for a session without a turn', async () => {
    expect((await app.get(`/sessions/${id}/turns`)).body.turns).toEqual([])
    for (const sequence of [1, 2, 3]) await insertTurn(id, { sequence })
    const { body } = await app.get(`/sessions/${id}/turns?page=2&per_page=2`)
    expect([body.turns.map(({ number }: { number: number }) => number), body.pagination.total_pages]).toEqual([[1], 2])
  })

  test('a turn costs what its model calls cost, those of subagents included and those of summaries not', async () => {
    await insertTurn(id, { sequence: 1, ...ended(0, 5) })
    await insertTurn(id, { sequence: 2, ...ended(10, 15) })
    const call = { session_id: id, model: 'test-opus-1', input_tokens: 1_000_000, output_tokens: 0 }
    await insertUsage(app.pool, { ...call, called_at: at(2) })
    await insertUsage(app.pool, { ...call, called_at: at(9), subagent: true })
    await insertUsage(app.pool, { ...call, called_at: at(10) })
    await insertUsage(app.pool, { ...call, called_at: at(11), model: 'without-a-price' })
    await insertUsage(app.pool, { ...call, called_at: at(12), source: 'status_summary' })
    await insertUsage(app.pool, { ...call, called_at: at(2), session_id: await insertSession(app.pool) })
    expect((await turns(id)).map((turn: Record<string, unknown>) => turn.cost_usd)).toEqual([5, 10])
    // The next turn ends the span even if it is on another page.
    expect((await turns(id, '?page=2&per_page=1'))[0].cost_usd).toBe(10)
  })

  test('a turn names its first entry of the main thread, and none if it stored none', async () => {
    await insertTranscript(app.pool, id, ['{"a":1}', '{"a":2}', '{"a":3}', '{"a":4}', '{"a":5}'])
    await app.pool.query('alter table transcript_entries disable trigger user')
    for (const [sequence, minute] of [0, 1, 2, 31, 32].entries()) {
      await app.pool.query('update transcript_entries set created_at = $1 where session_id = $2 and sequence = $3', [
        at(minute),
        id,
        sequence + 1,
      ])
    }
    await app.pool.query('alter table transcript_entries enable trigger user')
    await insertTurn(id, { sequence: 1, ...ended(1, 5) })
    await insertTurn(id, { sequence: 2, ...ended(10, 15) })
    await insertTurn(id, { sequence: 3, ...ended(30, 35) })
    await insertTurn(id, { sequence: 4, ...ended(40, 45) })
    expect((await turns(id)).map((turn: Record<string, unknown>) => turn.first_entry)).toEqual([null, 4, null, 2])
  })

  test('a turn names the person whose message its prompt was made of', async () => {
    await app.pool.query("insert into people (key, display_name) values ('ada', 'Ada') on conflict do nothing")
    const said = (author: string, content: string, minute: number) =>
      app.pool.query(
        `insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
         values ($1, $2, 'web_ui', 'web_ui.follow_up', $3, $4)`,
        [id, author, content, at(minute)],
      )
    await said('ada', 'go on', 0)
    await said('gone', 'stop', 10)
    await insertTurn(id, { sequence: 1, ...ended(0, 5) })
    await insertTurn(id, { sequence: 2, prompt: 'go on', ...ended(10, 15) })
    await insertTurn(id, { sequence: 3, prompt: 'Ada writes: go on', created_at: at(0) })
    await insertTurn(id, { sequence: 4, prompt: 'stop', created_at: at(10) })
    expect((await turns(id)).map((turn: Record<string, unknown>) => turn.author)).toEqual([
      { key: 'gone', display_name: 'gone' },
      { key: 'ada', display_name: 'Ada' },
      null,
      { key: 'ada', display_name: 'Ada' },
    ])
  })

  test('GET /sessions/:session_id/turns answers 200 for a slug, and changes nothing', async () => {
    await insertSession(app.pool, { slug: 'a-session-with-turns' })
    await changesNothing(app.pool, () => app.get('/sessions/a-session-with-turns/turns'))
  })
})

describe('GET /sessions/:session_id/turns refuses', () => {
  test.each(['999999', 'no-such-slug', '99999999999999999999', '%00'])(
    'GET /sessions/:session_id/turns answers 404 for the unknown session %s',
    async (unknown) => {
      expectProblem(await app.get(`/sessions/${unknown}/turns`), 404, 'Not Found')
    },
  )

  test('GET /sessions/:session_id/turns answers 401 without a key', async () => {
    expect((await app.send(`/api/v1/sessions/${id}/turns`)).status).toBe(401)
  })
})
