import type { BoardCard, BoardSection } from '@yardmaster/contract/board/read'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'
import { asker } from '../../support/sessions/asking.ts'
import { insertRunningSession, insertSession, insertSessions } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { onOneDay } from '../../support/vitest/on-one-day.ts'

// No turn starts by itself: a session stays as the test wrote it.
const app = testApp({ environment: { ROLE: 'web' } })
const { running, asked } = asker(app)
const oneDay = onOneDay()
const board = async (query = '') => (await app.get(`/board${query}`)).body
const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })

beforeEach(async () => {
  await app.pool.query('delete from sessions')
  await app.pool.query('delete from categories')
  await app.pool.query('delete from triggers')
  await app.pool.query('delete from spend_days')
})

const cardsOf = ({ sections }: { sections: BoardSection[] }): BoardCard[] => sections.flatMap(({ cards }) => cards)
const idsOf = (shown: { sections: BoardSection[] }): number[] => cardsOf(shown).map(({ id }) => id)
const found = async (query: string) => idsOf(await board(query)).toSorted((a, b) => a - b)

async function categoryWith(name: string, more: Record<string, unknown> = {}): Promise<number> {
  return (await app.post('/categories', { name, ...more })).body.category.id
}

describe('GET /board', () => {
  test('GET /board answers one section a category with totals, favourites first, and empty categories too', async () => {
    const release = await categoryWith('Release')
    const parked = await categoryWith('Parked', { is_frozen: true })
    await app.post('/categories/reorder', { ids: [release, 'uncategorized', parked] })
    const [loose, older, favourite] = await insertSessions(app.pool, [
      { title: 'loose' },
      { title: 'older', category_id: release },
      { title: 'starred', category_id: release, favorited: true },
    ])
    const newest = await insertSession(app.pool, { title: 'newest', category_id: release })
    const answer = await board()
    expect(answer).toMatchObject({ view: 'categories', page: 1, per_section: 100, total: 4, shown: 4 })
    expect(
      answer.sections.map(({ cards, ...rest }: BoardSection) => ({ ...rest, ids: cards.map(({ id }) => id) })),
    ).toEqual([
      {
        key: `category:${release}`,
        title: 'Release',
        category_id: release,
        total: 3,
        shown: 3,
        cost_usd: 0,
        ids: [favourite, newest, older],
      },
      { key: 'uncategorized', title: 'Uncategorized', total: 1, shown: 1, cost_usd: 0, ids: [loose] },
      {
        key: `category:${parked}`,
        title: 'Parked',
        category_id: parked,
        frozen: true,
        total: 0,
        shown: 0,
        cost_usd: 0,
        ids: [],
      },
    ])
  })

  test('GET /board shows on a card what a row needs, and leaves keys without a value out', async () => {
    const plain = await resting({ title: 'plain', metadata: { agent_root_key: 'web' } })
    const [card] = cardsOf(await board())
    expect(card).toEqual({
      id: plain,
      title: 'plain',
      status: 'needs_input',
      agent_runtime: 'demo',
      model: 'demo',
      agent_root: 'web',
      priority_class: 'spot',
      precedence: 0,
      created_at: expect.stringMatching(/Z$/),
      touched_at: expect.stringMatching(/Z$/),
    })
  })

  test('GET /board shows holds, failures, wakes, pauses, queues, pull requests, snoozes and frozen categories', async () => {
    const parked = await categoryWith('Parked', { is_frozen: true })
    const held = await insertSession(app.pool, {
      metadata: {
        spot_hold_at: '2026-11-17T02:00:00Z',
        spot_hold_reason: 'fleet_at_cap',
        deliberate_sleep_at: '2026-11-17T02:00:00Z',
      },
    })
    const failed = await insertSession(app.pool, {
      status: 'failed',
      metadata: { failure_reason: 'git_clone_failed', exit_status: `fatal:\n${'x'.repeat(500)}` },
    })
    const busy = await insertRunningSession(app.pool, {
      category_id: parked,
      heartbeat_enabled: true,
      parent_session_id: held,
      metadata: {
        pull_requests: [
          { url: 'https://forge.example/a/pull/1', state: 'open', has_conflict: true },
          { url: 'https://forge.example/a/pull/2', state: 'merged', has_conflict: false },
        ],
      },
    })
    const snoozed = await resting({
      visibility: 'snoozed',
      snoozed_until: '2999-01-01',
      metadata: { paused_by: 'user' },
    })
    await app.pool.query(
      "insert into enqueued_messages (session_id, content, position) values ($1, 'a', 1), ($1, 'b', 2)",
      [busy],
    )
    await armWake(app, held, { event_name: 'session_needs_input', watched_session_id: busy })
    await armWake(app, failed, { scheduled_at: '2040-01-02T00:00:00', timezone: 'UTC' })
    await armWake(app, failed, { scheduled_at: '2040-01-01T00:00:00', timezone: 'UTC' })
    const cards = new Map(cardsOf(await board()).map((card) => [card.id, card]))
    expect(cards.get(held)).toMatchObject({
      held: { reason: 'fleet_at_cap', since: '2026-11-17T02:00:00Z' },
      wake: {},
      asleep: true,
    })
    expect(cards.get(held)?.wake).toEqual({})
    expect(cards.get(failed)).toMatchObject({ needs_you: 'failed', wake: { at: '2040-01-01T00:00:00Z' } })
    expect(cards.get(failed)?.failure).toMatch(/^git clone failed: fatal: x+\.\.\.$/)
    expect(cards.get(failed)?.failure).toHaveLength(120)
    expect(cards.get(busy)).toMatchObject({
      queued: 2,
      frozen: true,
      heartbeat: true,
      parent_session_id: held,
      category_id: parked,
      pull_request: { url: 'https://forge.example/a/pull/1', state: 'open', has_conflict: true },
    })
    expect(cards.get(snoozed)).toMatchObject({
      visibility: 'snoozed',
      snoozed_until: '2999-01-01T00:00:00Z',
      paused: true,
    })
  })

  test('GET /board shows of a session that no vendor account can serve until when, and whether a person can end that by signing in', async () => {
    const since = '2026-11-17T02:00:00Z'
    const outage = { auth_outage_parked_at: since, auth_outage_reason: 'quota_exhausted' }
    const recovers = { ...outage, auth_outage_pool_recovers_at: '2026-11-17T05:00:00Z' }
    const hold = { spot_hold_at: since, spot_hold_reason: 'fleet_at_cap' }
    const [spent, mixed, refused, gated, ended] = await insertSessions(app.pool, [
      { agent_runtime: 'runtime_alpha', metadata: recovers },
      { agent_runtime: 'runtime_beta', metadata: recovers },
      { agent_runtime: 'runtime_alpha', metadata: { ...outage, auth_outage_reason: 'auth_unrecoverable' } },
      { agent_runtime: 'runtime_alpha', metadata: hold },
      { agent_runtime: 'runtime_alpha', metadata: outage, status: 'failed' },
    ])
    await app.pool.query(
      "insert into accounts (runtime, email, status) values ('runtime_alpha', 'a@example.test', 'quota_exceeded'), ('runtime_beta', 'b@example.test', 'quota_exceeded'), ('runtime_beta', 'c@example.test', 'needs_reauth')",
    )
    const cards = new Map(cardsOf(await board()).map(({ id, held }) => [id, held]))
    await app.pool.query('delete from accounts')
    expect(cards).toEqual(
      new Map([
        [spent, { reason: 'account_unavailable', since, until: '2026-11-17T05:00:00Z' }],
        [mixed, { reason: 'account_needs_reauth', since, until: '2026-11-17T05:00:00Z' }],
        [refused, { reason: 'account_needs_reauth', since }],
        [gated, { reason: 'fleet_at_cap', since }],
        [ended, undefined],
      ]),
    )
    expect((await app.get('/board/summary')).body.spot.held).toBe(4)
  })

  test('GET /board shows how the first prompt begins while the title is a placeholder, without its secrets', async () => {
    const untitled = (columns: Record<string, unknown>) =>
      insertRunningSession(app.pool, { title: 'Session 1', metadata: { auto_generated_title: true }, ...columns })
    const token = `ghp_${'a1B2'.repeat(9)}`
    const secret = await untitled({ prompt: 'Go on.' })
    await app.pool.query('update turns set prompt = $2 where session_id = $1', [
      secret,
      `\n Push with ${token}\nand then rest.`,
    ])
    const long = await untitled({})
    await app.pool.query('update turns set prompt = $2 where session_id = $1', [long, 'word '.repeat(5_000)])
    const named = await insertRunningSession(app.pool, { title: 'Chosen', prompt: 'Say hello' })
    const blank = await insertSession(app.pool, { title: 'Session 2', metadata: { auto_generated_title: true } })
    const prompts = new Map(cardsOf(await board()).map(({ id, prompt }) => [id, prompt]))
    expect(prompts.get(secret)).toMatch(/^Push with \[REDACTED/)
    expect(prompts.get(secret)).not.toContain('rest')
    expect(prompts.get(long)).toMatch(/^word word .*\.\.\.$/)
    expect(prompts.get(long)).toHaveLength(120)
    expect([prompts.get(named), prompts.get(blank)]).toEqual([undefined, undefined])
  })

  test('GET /board?author= shows only the sessions that this person wrote to', async () => {
    const [ada, , both] = await insertSessions(app.pool, [{}, {}, {}])
    for (const [session, author] of [
      [ada, 'ada'],
      [both, 'ada'],
      [both, 'bob'],
    ]) {
      await app.pool.query(
        `insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
         values ($1, $2, 'web_ui', 'web_ui.follow_up', 'Go on.', now())`,
        [session, author],
      )
    }
    expect(await found('?author=ada')).toEqual([ada, both])
    expect(await found('?author=bob')).toEqual([both])
    expect(await found('?author=carol')).toEqual([])
  })

  test(
    'GET /board shows what a session has cost, and sums it for the section, as GET /costs does',
    oneDay,
    async () => {
      const [one, other] = await insertSessions(app.pool, [{}, {}])
      for (const session_id of [one, one, other]) await insertUsage(app.pool, { session_id, input_tokens: 400_000 })
      const { body: costs } = await app.get(`/costs?session_id=${one}&days=1`)
      const answer = await board()
      const cost = cardsOf(answer).find(({ id }) => id === one)?.cost_usd ?? 0
      expect(cost).toBeGreaterThan(0)
      expect(cost).toBeCloseTo(costs.totals.cost_usd, 4)
      expect(answer.sections[0].cost_usd).toBeCloseTo(cost * 1.5, 4)
      const summary = (await app.get('/board/summary')).body
      expect(summary.cost_today_usd).toBeCloseTo(cost * 1.5, 4)
    },
  )

  test('GET /board shows the question that waits longest, and not one that was answered', async () => {
    const { id, token } = await running()
    const first = await asked(token, { message: `Which\nof  the two? ${'y'.repeat(300)}` })
    await asked(token, { message: 'Later' })
    const { question, needs_you } = cardsOf(await board())[0] ?? {}
    expect(needs_you).toBe('question')
    expect(question?.message).toMatch(/^Which of the two\? y+\.\.\.$/)
    expect(await found('?needs_you=true')).toEqual([id])
    await app.patch(`/elicitations/${first}/respond`, { action_type: 'decline' })
    expect(cardsOf(await board())[0]?.question).toMatchObject({ message: 'Later' })
  })

  test('GET /board cuts each section at per_section, counts the whole, and pages one section to its end', async () => {
    const category = await categoryWith('Big')
    const ids = await insertSessions(
      app.pool,
      Array.from({ length: 5 }, () => ({ category_id: category })),
    )
    await insertSessions(app.pool, [{}, {}, {}])
    const first = await board('?per_section=2')
    expect(first).toMatchObject({ total: 8, shown: 4 })
    const totals = first.sections.map(({ key, total, shown }: BoardSection) => [key, total, shown])
    expect(totals).toContainEqual([`category:${category}`, 5, 2])
    expect(totals).toContainEqual(['uncategorized', 3, 2])
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => board(`?per_section=2&section=category:${category}&page=${page}`)),
    )
    expect(pages.map(({ total, shown }) => [total, shown])).toEqual([
      [5, 2],
      [5, 2],
      [5, 1],
      [5, 0],
    ])
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed())
    expect(await board('?section=nothing')).toMatchObject({ total: 0, shown: 0, sections: [] })
  })

  test('GET /board orders by the last touch or by age, newest first', async () => {
    const [old, young] = await insertSessions(app.pool, [
      { created_at: '2026-01-01', updated_at: '2026-01-01' },
      { created_at: '2026-01-02', updated_at: '2026-01-02' },
    ])
    expect(idsOf(await board('?view=created'))).toEqual([young, old])
    await app.pool.query(
      "insert into transcript_threads (session_id, thread, entry_count, last_entry_at, last_said) values ($1, 'main', 1, '2026-01-03', 'Done.')",
      [old],
    )
    const touched = await board('?view=touched')
    expect(idsOf(touched)).toEqual([old, young])
    expect(cardsOf(touched)[0]).toMatchObject({
      last_line: 'Done.',
      last_written_at: '2026-01-03T00:00:00Z',
      touched_at: '2026-01-03T00:00:00Z',
    })
  })

  test('GET /board?view=ranked lists what runs, then the queue in the order of admission, then the rest', async () => {
    const [low, high, urgent, idle] = await insertSessions(app.pool, [
      { precedence: 1 },
      { precedence: 5 },
      { precedence: -3, scheduling_class: 'priority' },
      { precedence: 9, status: 'needs_input' },
    ])
    const live = await insertRunningSession(app.pool)
    for (const id of [low, high, urgent])
      await app.pool.query("insert into turns (session_id, sequence, source, prompt) values ($1, 1, 'create', 'x')", [
        id,
      ])
    const { sections } = await board('?view=ranked')
    expect(sections.map(({ key, cards }: BoardSection) => [key, cards.map(({ id }) => id)])).toEqual([
      ['running', [live]],
      ['queue', [urgent, high, low]],
      ['resting', [idle]],
    ])
    expect(sections[0].cards[0].status).toBe('running')
  })

  test('GET /board filters in the words of the session list', async () => {
    const web = await resting({ title: 'Fix 100% of it_', metadata: { agent_root_key: 'web' }, branch: 'topic/x' })
    const hidden = await resting({ visibility: 'hidden', scheduling_class: 'priority', favorited: true })
    const archived = await insertSession(app.pool, {
      status: 'archived',
      archived_at: new Date(),
      agent_runtime: 'alpha',
      genesis: 'schedule',
    })
    const failed = await insertSession(app.pool, { status: 'failed' })
    const cases: [string, (number | undefined)[]][] = [
      ['', [web, hidden, failed]],
      ['?show_archived=true', [web, hidden, archived, failed]],
      ['?status=archived', [archived]],
      ['?status=failed', [failed]],
      ['?status=nonsense', []],
      ['?visibility=on_board', [web, failed]],
      ['?visibility=off_board', [hidden]],
      ['?visibility=nonsense', [web, hidden, failed]],
      ['?priority_class=priority', [hidden]],
      ['?agent_root=web', [web]],
      ['?agent_root=unknown', []],
      ['?agent_runtime=alpha&show_archived=true', [archived]],
      ['?genesis=schedule&show_archived=true', [archived]],
      ['?favorited=true', [hidden]],
      ['?favorited=false', [web, failed]],
      ['?needs_you=true', [failed]],
      ['?needs_you=false', [web, hidden]],
      ['?q=fix%20100%25%20OF%20it_', [web]],
      ['?q=100_', []],
      ['?q=TOPIC', [web]],
      [`?q=%23${failed}`, [failed]],
      ['?q=%20', [web, hidden, failed]],
    ]
    for (const [query, expected] of cases) expect([query, await found(query)]).toEqual([query, expected])
  })

  test('GET /board rejects an unknown view, an unreadable flag and a phrase that is too long with 422', async () => {
    expectProblem(await app.get('/board?view=tiles'), 422, 'Invalid parameter')
    expectProblem(await app.get('/board?needs_you=perhaps'), 422, 'Invalid parameter')
    expectProblem(await app.get(`/board?q=${'x'.repeat(1001)}`), 422, 'Invalid parameter')
    for (const hostile of ['%00', "';drop table sessions--", '%F0%9F%92%A9', '\\', '%25%27'])
      expect((await app.get(`/board?agent_root=${hostile}&section=${hostile}`)).status).toBeOneOf([200, 422])
    expect((await board('?page=99999999999999999999&per_section=-5')).per_section).toBe(1)
    expect((await board('?page=x&per_section=99999')).per_section).toBe(1000)
  })

  test('GET /board and /board/summary answer 304 while nothing has changed, and 401 without a key', async () => {
    const id = await resting()
    for (const path of ['/api/v1/board', '/api/v1/board/summary']) {
      const get = (headers: Record<string, string>) => app.send(path, { headers })
      expect((await get({})).status).toBe(401)
      const first = await get({ 'x-api-key': testKey })
      const tag = first.headers.get('etag') ?? ''
      expect((await get({ 'x-api-key': testKey, 'if-none-match': tag })).status).toBe(304)
      await app.pool.query("update sessions set status = 'failed', title = $2 where id = $1", [id, path])
      expect((await get({ 'x-api-key': testKey, 'if-none-match': tag })).status).toBe(200)
      await app.pool.query("update sessions set status = 'needs_input' where id = $1", [id])
    }
  })
})

describe('GET /board/summary', () => {
  test('GET /board/summary counts what the header of a page shows', async () => {
    await insertSessions(app.pool, [
      { status: 'failed' },
      { status: 'failed', visibility: 'hidden' },
      { metadata: { spot_hold_at: '2026-11-17T02:00:00Z' } },
      { status: 'needs_input' },
      { status: 'archived', archived_at: new Date() },
    ])
    await insertRunningSession(app.pool)
    const { status, body } = await app.get('/board/summary')
    expect(status).toBe(200)
    expect(body).toEqual({
      needs_you: 1,
      running: 1,
      waiting: 1,
      needs_input: 1,
      failed: 1,
      unread_notifications: 0,
      failed_triggers: 0,
      backlog: 0,
      cost_today_usd: 0,
      hosts: { alive: expect.any(Number) },
      spot: { is_gated: expect.any(Boolean), live: 1, slots: expect.any(Number), held: 1 },
    })
  })
})
