import { NewItem, Pull } from '@yardmaster/contract/backlog/fields'
import { beforeEach, describe, expect, test } from 'vitest'
import { appendItem } from '../../../src/domain/backlog/append.ts'
import { openBacklog } from '../../../src/domain/backlog/backlog.ts'
import { pullItems } from '../../../src/domain/backlog/pull.ts'
import { expectProblem } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { backlogApp, newItem } from '../../support/backlog/items.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = backlogApp()
beforeEach(() => app.empty())

const pull = (body: unknown) => app.post('/work_backlog_items/pull', body)

describe('POST /work_backlog_items/pull', () => {
  test('POST /work_backlog_items/pull starts the first items of the queue, each in a spot session of its own', async () => {
    await app.queue('later', { estimated_cost: 'large' })
    await app.queue('web#498', { ratings: { risk: 'low' } })
    await app.queue('manual-tidy', { issue_url: null, prompt: 'say tidy' })
    const { status, body } = await pull({ count: 2 })
    expect(status).toBe(200)
    expect(body.counts).toEqual({ queued: 1, started: 2, removed: 0, in_flight: 2, parked: 0, pinned: 0 })
    expect(body.removed).toEqual([])
    const [first, second] = body.started
    expect(first.work_backlog_item).toMatchObject({
      key: 'web#498',
      status: 'started',
      started_session_id: first.session.id,
      started_by_session_id: null,
      started_at: expect.any(String),
      position: null,
    })
    expect(first.session).toMatchObject({
      url: `${app.url}/sessions/${first.session.id}`,
      title: 'Implement web#498 (Login redirect loops)',
      status: 'waiting',
      scheduling_class: 'spot',
      genesis: 'api',
      precedence: 0,
      goal: 'open-reviewed-green-pr',
      agent_runtime: 'demo',
      metadata: { agent_root_key: 'orchestrator' },
      custom_metadata: {
        spawned_by: 'work-backlog',
        work_backlog_item_id: first.work_backlog_item.id,
        work_backlog_key: 'web#498',
        work_backlog_issue: 'https://forge.example/acme/web/issues/498',
      },
    })
    expect(first.session.prompt).toMatch(/^https:\/\/forge\.example\/acme\/web\/issues\/498\n\nImplement this issue/)
    expect(second.session).toMatchObject({ title: 'Implement manual-tidy (Login redirect loops)', prompt: 'say tidy' })
    expect((await app.get(`/sessions/${first.session.id}`)).body.session).toMatchObject({ id: first.session.id })
    expect(await app.keys()).toEqual(['later'])
  })

  test('sessions of an acting session are its children and rank above it in the order of the items', async () => {
    const acting = await insertSession(app.pool, { genesis: 'schedule', precedence: 12 })
    for (const key of ['a', 'b']) await app.queue(key)
    const { body } = await pull({ keys: ['b', 'a'], acting_session_id: acting })
    const { rows } = await app.pool.query(
      'select id::int, parent_session_id::int, genesis, precedence from sessions where parent_session_id = $1 order by id',
      [acting],
    )
    expect(rows).toEqual([
      { id: body.started[0].session.id, parent_session_id: acting, genesis: 'schedule', precedence: 14 },
      { id: body.started[1].session.id, parent_session_id: acting, genesis: 'schedule', precedence: 13 },
    ])
    expect(body.started.map(({ work_backlog_item: item }: Pulled) => [item.key, item.started_by_session_id])).toEqual([
      ['b', acting],
      ['a', acting],
    ])
  })

  test('an acting session that does not exist counts as absent', async () => {
    await app.queue('a')
    await app.queue('b')
    const { body } = await pull({ keys: ['a'], dead: { key: 'b', reason: 'trust_failed' }, acting_session_id: 999_999 })
    expect(body).toMatchObject({
      started: [{ work_backlog_item: { started_by_session_id: null } }],
      removed: [{ work_backlog_item: { removed_by: 'api' } }],
    })
  })

  test('dead items are removed first, with the acting session as remover, and stay as history', async () => {
    const acting = await insertSession(app.pool)
    for (const key of ['dead-1', 'dead-2', 'live']) await app.queue(key)
    const dead = [
      { key: 'dead-2', reason: 'issue_has_open_pr' },
      { key: 'dead-1', reason: 'issue_closed' },
    ]
    const { status, body } = await pull({ count: 1, dead, acting_session_id: acting })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      started: [{ work_backlog_item: { key: 'live' } }],
      removed: [
        { work_backlog_item: { key: 'dead-2', status: 'removed', position: null }, reason: 'issue_has_open_pr' },
        {
          work_backlog_item: { key: 'dead-1', removal_reason: 'issue_closed', removed_by: `session:${acting}` },
          reason: 'issue_closed',
        },
      ],
      counts: { queued: 0, started: 1, removed: 2 },
    })
    expect((await app.get('/work_backlog_items?status=removed')).body.work_backlog_items).toHaveLength(2)
  })

  test('dead alone, count 0 and an empty queue start nothing and answer 200', async () => {
    await app.queue('a')
    expect((await pull({ count: 0 })).body).toMatchObject({ started: [], removed: [], counts: { queued: 1 } })
    expect((await pull({ dead: { key: 'a', reason: 'issue_closed' } })).body).toMatchObject({ removed: [{}] })
    expect((await pull({ count: 5 })).body).toMatchObject({ started: [], counts: { queued: 0 } })
  })

  test('POST /work_backlog_items/pull refuses a bad request with 422 Invalid pull, and starts and removes nothing', async () => {
    for (const key of ['a', 'b']) await app.queue(key)
    const many = Array.from({ length: 11 }, (_, index) => `k${index}`)
    const dead = (key: string, reason = 'issue_closed') => ({ key, reason })
    const wrong: [Record<string, unknown>, string][] = [
      [{}, "Count can't be blank unless keys or dead say what to do"],
      [{ dead: [] }, "Count can't be blank unless keys or dead say what to do"],
      [{ count: 1, keys: ['a'] }, 'Count and keys exclude each other'],
      [{ count: 11 }, 'Count must be less than or equal to 10'],
      [{ count: -1 }, 'Count must be greater than or equal to 0'],
      [{ count: 1.5 }, 'Count must be an integer'],
      [{ count: '1' }, 'Count is not a number'],
      [{ keys: [] }, 'Keys has too few entries (minimum is 1)'],
      [{ keys: many }, 'Keys has too many entries (maximum is 10)'],
      [{ keys: ['a', ' a '] }, 'Keys must not repeat a key'],
      [{ keys: 'a' }, 'Keys must be an array'],
      [{ keys: ['a', 'b', 'gone'] }, 'not queued: gone'],
      [{ count: 1, dead: dead('gone') }, 'not queued: gone'],
      [{ dead: [{ reason: 'issue_closed' }] }, "Dead key can't be blank"],
      [
        { dead: [dead('a', 'tired')] },
        'Dead reason must be one of: issue_closed, issue_has_open_pr, session_already_working, trust_failed',
      ],
      [{ dead: [dead('a'), dead('a')] }, 'Dead must not repeat a key'],
      [{ keys: ['a'], dead: dead('a') }, 'Keys must not be dead too: a'],
    ]
    await changesNothing(app.pool, async () => {
      for (const [body, message] of wrong) expectProblem(await pull(body), 422, 'Invalid pull', message)
    })
  })

  test('50 pulls at once start every item once, and give each item one session', async () => {
    for (let index = 0; index < 30; index += 1) await app.queue(`race#${index}`)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        pull(index % 2 === 0 ? { count: 1 } : { keys: [`race#${index % 30}`, `race#${(index + 1) % 30}`] }),
      ),
    )
    const started: Pulled[] = answers.flatMap(({ body }) => body.started ?? [])
    const keys = started.map(({ work_backlog_item: item }) => item.key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length + (await app.keys()).length).toBe(30)
    for (const { status, body } of answers)
      expect([200, 422]).toContain(body.error === undefined || body.error === 'Invalid pull' ? status : 0)
    const { rows } = await app.pool.query(
      `select custom_metadata ->> 'work_backlog_key' as key from sessions
       where custom_metadata ->> 'work_backlog_key' like 'race#%'`,
    )
    expect(rows.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
  })
})

describe('two hosts on one database', () => {
  test('two hosts that append and pull at once start every item once and give no rank twice', async () => {
    const { agentRoot } = app.host.app.backlog
    // The second host does not share the first one's order of changes, only the lock in the database.
    const hosts = [app.host.app, { ...app.host.app, backlog: openBacklog({ agentRoot }) }]
    const appends = hosts.flatMap((host, index) =>
      Array.from({ length: 10 }, (_, n) =>
        appendItem(host, NewItem.parse(newItem({ key: `host-${n}` })), { isTool: index === 1, agentOf: undefined }),
      ),
    )
    const appended = await Promise.all(appends)
    expect(appended.filter(({ created }) => created)).toHaveLength(10)
    const { rows } = await app.pool.query('select count(distinct precedence)::int as ranks from work_backlog_items')
    expect(rows).toEqual([{ ranks: 10 }])
    const starter = { actingSessionId: undefined, agentOf: undefined, roots: undefined, genesis: 'api' as const }
    const pulled = await Promise.all(
      hosts.flatMap((host) => [1, 2, 3].map((count) => pullItems(host, Pull.parse({ count }), starter))),
    )
    const keys = pulled.flatMap(({ started }) => started.map(({ work_backlog_item: item }) => item.key))
    expect(keys.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `host-${n}`))
  })
})

type Pulled = { work_backlog_item: { key: string; started_by_session_id: number | null } }

describe('without the root of the catalog', () => {
  const rootless = backlogApp({ BACKLOG_AGENT_ROOT: 'nowhere' })

  test('pull and start_now answer 422 Cannot spawn and leave the queue as it is; dead items can still be removed', async () => {
    await rootless.queue('a')
    await rootless.queue('b')
    const message = 'No agent root named "nowhere" is in the catalog'
    await changesNothing(rootless.pool, async () => {
      const dead = { key: 'b', reason: 'issue_closed' }
      expectProblem(await rootless.post('/work_backlog_items/pull', { count: 1, dead }), 422, 'Cannot spawn', message)
      expectProblem(await rootless.post('/work_backlog_items/a/start_now'), 422, 'Cannot spawn', message)
    })
    const dead = { key: 'b', reason: 'issue_closed' }
    expect((await rootless.post('/work_backlog_items/pull', { dead })).status).toBe(200)
    expect(await rootless.keys()).toEqual(['a'])
  })
})
