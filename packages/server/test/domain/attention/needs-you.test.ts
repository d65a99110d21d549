import { beforeEach, describe, expect, test } from 'vitest'
import { transition } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, sampleRepository, testApp, testKey } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { openReader } from '../../support/events/event-reader.ts'
import { asker } from '../../support/sessions/asking.ts'
import { atRest, startDemo } from '../../support/sessions/demo-session.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

/** A server that no one has authorized: a session that waits for it stays parked. */
const linear = { type: 'streamable-http', url: 'https://mcp.example/linear', oauth: { clientId: 'yard' } }
const folder = await catalogOnDisk({ 'mcp.json': { linear } })
const app = testApp({ environment: { CATALOG_PATH: `${folder}/air.json` } })
const { running, asked, respond } = asker(app)
const needsYou = async () => (await app.get('/needs_you')).body
const kinds = async () => {
  const { sessions } = await needsYou()
  // biome-ignore lint/suspicious/noExplicitAny: answers of the API
  return sessions.map(({ card }: any) => [card.id, card.needs_you])
}
const seen = (id: number, body: unknown = {}) => app.post(`/sessions/${id}/mark_seen`, body)

/** A session whose turn ended: the transition that a real turn makes. */
async function ended(columns: Record<string, unknown> = {}): Promise<number> {
  const id = await insertSession(app.pool, { status: 'running', host_id: 'elsewhere', ...columns })
  await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause: 'turn_ended' }))
  return id
}

async function failed(metadata: Record<string, unknown> = {}, columns: Record<string, unknown> = {}): Promise<number> {
  const id = await insertSession(app.pool, { status: 'running', host_id: 'elsewhere', metadata, ...columns })
  await transact(app.host.app.db, (tx) =>
    transition(app.host.app, tx, { sessionId: id, cause: 'turn_failed', with: { metadata } }),
  )
  return id
}

beforeEach(async () => {
  await app.pool.query('delete from sessions')
  await app.pool.query('delete from triggers')
})

describe('GET /needs_you', () => {
  test('GET /needs_you lists questions with their schema, authorisations, failures and what came to rest, in this order', async () => {
    const rested = await ended()
    const broken = await failed({ failure_reason: 'spawn_failed' })
    const servers = [{ server_name: 'linear', server_url: 'https://mcp.example/linear' }]
    const unauthorised = await failed(
      { failure_reason: 'oauth_required', oauth_required_servers: servers },
      { mcp_servers: ['linear'] },
    )
    const { id: asking, token } = await running()
    const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } } }
    const requestId = await asked(token, { message: 'Deploy now?', requestedSchema })
    const answer = await needsYou()
    expect(await kinds()).toEqual([
      [asking, 'question'],
      [unauthorised, 'oauth_required'],
      [broken, 'failed'],
      [rested, 'needs_input'],
    ])
    expect(answer).toMatchObject({
      sessions_total: 4,
      elicitations_total: 1,
      held: [],
      held_total: 0,
      triggers: [],
      triggers_total: 0,
    })
    expect(answer.sessions[0].elicitations).toMatchObject([
      { request_id: requestId, message: 'Deploy now?', requested_schema: requestedSchema },
    ])
    expect(answer.sessions[1]).toMatchObject({ oauth_required_servers: servers, elicitations: [] })
    expect(answer.sessions[2].card.failure).toBe('spawn failed')
    expect(answer.sessions[3]).toMatchObject({ since: expect.any(String), transition_id: expect.any(Number) })
    expect((await app.get('/board/summary')).body.needs_you).toBe(4)
  })

  test('GET /needs_you leaves out sessions that a person paused, archived or took off the board, but not their questions', async () => {
    await insertSession(app.pool, { status: 'needs_input' })
    await ended({ visibility: 'hidden' })
    const archived = await ended()
    await app.post(`/sessions/${archived}/archive`)
    const { id: hidden, token } = await running({ visibility: 'hidden' })
    expect(await kinds()).toEqual([])
    await asked(token)
    expect(await kinds()).toEqual([[hidden, 'question']])
  })

  test('GET /needs_you lists held sessions in the order of the queue, and failed triggers', async () => {
    const metadata = { spot_hold_at: '2026-11-17T02:00:00Z', spot_hold_reason: 'fleet_at_cap' }
    const low = await insertSession(app.pool, { metadata })
    const high = await insertSession(app.pool, { metadata, precedence: 2 })
    await app.pool.query(
      "insert into triggers (name, status, agent_root_name, prompt_template, failed_at, last_error) values ('nightly', 'failed', 'web', 'x', '2026-11-17', 'no such root'), ('fine', 'enabled', 'web', 'x', null, null)",
    )
    const answer = await needsYou()
    // biome-ignore lint/suspicious/noExplicitAny: answers of the API
    expect(answer.held.map(({ id }: any) => id)).toEqual([high, low])
    expect(answer).toMatchObject({
      sessions: [],
      held_total: 2,
      triggers: [
        { name: 'nightly', agent_root_name: 'web', failed_at: '2026-11-17T00:00:00Z', last_error: 'no such root' },
      ],
      triggers_total: 1,
    })
  })

  test('GET /needs_you lists a session that no vendor account can serve among the held ones, and not one that has failed since', async () => {
    const metadata = { auth_outage_reason: 'auth_unrecoverable', auth_outage_parked_at: '2026-11-17T02:00:00Z' }
    const parked = await insertSession(app.pool, { metadata, precedence: 2 })
    const held = await insertSession(app.pool, { metadata: { spot_hold_at: '2026-11-17T02:00:00Z' } })
    await insertSession(app.pool, { metadata, status: 'failed', visibility: 'hidden' })
    const answer = await needsYou()
    expect(answer).toMatchObject({
      sessions: [],
      held: [{ id: parked, held: { reason: 'account_needs_reauth', since: '2026-11-17T02:00:00Z' } }, { id: held }],
      held_total: 2,
    })
  })

  test('GET /needs_you cuts its lists at 100 and says how many there are', async () => {
    await app.pool.query(
      `insert into sessions (status, agent_runtime, genesis, git_root, branch)
       select 'failed', 'demo', 'api', '/srv/x', 'main' from generate_series(1, 130)`,
    )
    const answer = await needsYou()
    expect([answer.sessions.length, answer.sessions_total]).toEqual([100, 130])
  })

  test('GET /needs_you answers 304 while nothing has changed, and 401 without a key', async () => {
    const id = await ended()
    const get = (headers: Record<string, string>) => app.send('/api/v1/needs_you', { headers })
    expect((await get({})).status).toBe(401)
    const tag = (await get({ 'x-api-key': testKey })).headers.get('etag') ?? ''
    expect((await get({ 'x-api-key': testKey, 'if-none-match': tag })).status).toBe(304)
    await seen(id)
    expect((await get({ 'x-api-key': testKey, 'if-none-match': tag })).status).toBe(200)
  })
})

describe('POST /sessions/:id/mark_seen', () => {
  test('POST /sessions/:id/mark_seen takes a session off the list until its state changes again', async () => {
    const id = await ended()
    await app.post('/notifications/push', { session_id: id, message: 'Look here' })
    const reader = await openReader(app.url, { sessionId: id })
    expect(await seen(id)).toMatchObject({
      status: 200,
      body: { session_id: id, needs_you: false, notifications_read: 1 },
    })
    const event = await reader.find(({ event }) => event === 'session.seen')
    expect(event.data).toMatchObject({ session_id: id, transition_id: expect.any(Number) })
    expect(await kinds()).toEqual([])
    expect((await app.get('/notifications/badge')).body.pending_count).toBe(0)
    expect((await seen(id)).body.notifications_read).toBe(0)
    for (const cause of ['resume', 'turn_started', 'turn_ended'] as const)
      await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause }))
    expect(await kinds()).toEqual([[id, 'needs_input']])
  })

  test('POST /sessions/:id/mark_seen with an earlier state does not hide the current one', async () => {
    const id = await ended()
    const { transition_id } = (await needsYou()).sessions[0]
    for (const cause of ['resume', 'turn_started', 'turn_ended'] as const)
      await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause }))
    expect((await seen(id, { transition_id })).body).toMatchObject({ needs_you: true, notifications_read: 0 })
    expect((await seen(id, { transition_id: 999_999_999 })).body.needs_you).toBe(false)
    // A number from the future counts as the current one.
    for (const cause of ['resume', 'turn_started', 'turn_ended'] as const)
      await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause }))
    expect(await kinds()).toEqual([[id, 'needs_input']])
  })

  test('POST /sessions/:id/mark_seen keeps a session on the list that asks, until it is answered', async () => {
    const { id, token } = await running()
    const requestId = await asked(token)
    expect((await seen(id)).body.needs_you).toBe(true)
    await respond(requestId, 'decline')
    expect(await kinds()).toEqual([])
  })

  test('POST /sessions/:id/mark_seen by two people at once publishes one event, and answers both', async () => {
    const id = await ended()
    const answers = await Promise.all(Array.from({ length: 8 }, () => seen(id)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { rows } = await app.pool.query(
      "select count(*)::int as count from events where name = 'session.seen' and session_id = $1",
      [id],
    )
    expect(rows[0].count).toBe(1)
  })

  test('POST /sessions/:id/mark_seen that races with the end of a turn never hides an end that was not seen', async () => {
    const id = await insertSession(app.pool, { status: 'running', host_id: 'elsewhere' })
    for (let round = 0; round < 3; round += 1) {
      const before = (
        await app.pool.query('select coalesce(max(id), 0)::int as id from session_transitions where session_id = $1', [
          id,
        ])
      ).rows[0].id
      await Promise.all([
        transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause: 'turn_ended' })),
        seen(id, { transition_id: before }),
      ])
      expect(await kinds()).toEqual([[id, 'needs_input']])
      for (const cause of ['resume', 'turn_started'] as const)
        await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId: id, cause }))
    }
  })

  test('POST /sessions/:id/mark_seen does not wait for a transaction that holds the session', async () => {
    const id = await ended()
    const holder = await app.pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select id from sessions where id = $1 for no key update', [id])
      expect((await seen(id)).status).toBe(200)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  })

  test('POST /sessions/:id/mark_seen answers 404 for an unknown session, and 422 for a state that is no number', async () => {
    expectProblem(await app.post('/sessions/999999/mark_seen', {}), 404, 'Not Found')
    expectProblem(await app.post('/sessions/no-such-slug/mark_seen', {}), 404, 'Not Found')
    const id = await ended()
    for (const transition_id of ['x', -1, 1.5, {}, [], true]) {
      const answer = await changesNothing(app.pool, () => seen(id, { transition_id }))
      expectProblem(answer, 422, 'Validation failed', 'transition_id must be a whole number')
    }
  })
})

test('a session whose turn ended waits for a person and shows the last line that its agent said', async () => {
  const git_root = await sampleRepository(`${app.shared}/needs-you`)
  const session = await startDemo(app, { git_root, lines: ['say Looking at the retry', 'say All tests are green'] })
  await atRest(app, session.id)
  expect(await kinds()).toEqual([[session.id, 'needs_input']])
  const [{ card }] = (await needsYou()).sessions
  expect(card).toMatchObject({ last_line: 'All tests are green', last_written_at: expect.any(String) })
})
