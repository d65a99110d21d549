import { eventKinds, transientKinds } from '@yardmaster/contract/events/kinds'
import { beforeAll, describe, expect, test } from 'vitest'
import { sampleRepository } from '../support/app/app.ts'
import { openReader } from '../support/events/event-reader.ts'
import { atRest, entriesOf, startDemo } from '../support/sessions/demo-session.ts'
import { insertRunningSession, insertSession } from '../support/sessions/session-rows.ts'
import { triggerApp } from '../support/triggers/trigger-app.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = await triggerApp({ role: 'all' })
let repository = ''

beforeAll(async () => {
  repository = await sampleRepository(`${app.shared}/live`)
})

const storedOf = async (sessionId: number, name: string) => {
  const { rows } = await app.pool.query('select payload from events where session_id = $1 and name = $2 order by id', [
    sessionId,
    name,
  ])
  return rows.map(({ payload }) => (typeof payload === 'string' ? JSON.parse(payload) : payload))
}

describe('a turn', () => {
  test('a turn announces its start, its entries as they are stored, and its end with its cost', async () => {
    const reader = await openReader(app.url)
    const { id } = await startDemo(app, {
      git_root: repository,
      lines: ['say one', 'usage 400000 200000', 'spawn say two', 'say three'],
    })
    await atRest(app, id)
    const ended = await reader.find(({ event, data }) => event === 'turn.ended' && data.session_id === id)
    expect(ended.data).toMatchObject({ turn: 1, outcome: 'completed', cost_usd: expect.any(Number) })
    const { body } = await app.get(`/sessions/${id}/turns`)
    expect(ended.data.cost_usd).toBe(body.turns[0].cost_usd)
    expect(await storedOf(id, 'turn.started')).toEqual([{ turn: 1, source: 'create' }])

    const total = (await entriesOf(app, id)).length
    const appended = () => reader.transient.filter(({ data }) => data.session_id === id)
    await eventually(
      async () => appended().filter(({ data }) => data.thread === 'main'),
      (all) => all.at(-1)?.data.to === total,
    )
    const main = appended().filter(({ data }) => data.thread === 'main')
    // Without a gap, from the first entry to the last.
    expect(main.map(({ data }) => data.from)).toEqual([1, ...main.slice(0, -1).map(({ data }) => data.to + 1)])
    // The thread of the subagent is read after the main one, so it may be announced later.
    await eventually(
      async () => new Set(appended().map(({ data }) => data.thread)).size,
      (threads) => threads === 2,
    )
    expect(await storedOf(id, 'transcript.appended')).toEqual([])
  })

  test('a turn that fails is announced as failed', async () => {
    const { id } = await startDemo(app, { git_root: repository, lines: ['fail on purpose'] })
    await atRest(app, id)
    expect(await storedOf(id, 'turn.ended')).toEqual([{ turn: 1, outcome: 'failed', cost_usd: 0 }])
  })

  test('a stream of one session gets the entries of that session only', async () => {
    const other = await insertSession(app.pool, { status: 'needs_input' })
    const reader = await openReader(app.url, { sessionId: other })
    const { id } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    await atRest(app, id)
    await app.post(`/sessions/${other}/toggle_favorite`)
    await reader.find(({ event }) => event === 'session.changed')
    expect([...reader.events, ...reader.transient].filter(({ data }) => data?.session_id === id)).toEqual([])
  })
})

describe('session.changed', () => {
  test('session.changed names the fields that a request wrote, once for each request', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const requests: [() => Promise<unknown>, string[]][] = [
      [() => app.patch(`/sessions/${id}`, { title: 'New', goal: 'Better' }), ['goal', 'metadata', 'slug', 'title']],
      [() => app.patch(`/sessions/${id}/notes`, { session_notes: 'n' }), ['session_notes', 'session_notes_updated_at']],
      [() => app.post(`/sessions/${id}/toggle_favorite`), ['favorited']],
      [() => app.patch(`/sessions/${id}/visibility`, { visibility: 'hidden' }), ['snoozed_until', 'visibility']],
      [() => app.patch(`/sessions/${id}/set_category`, {}), ['category_id']],
      [() => app.patch(`/sessions/${id}/heartbeat`, { enabled: true }), ['heartbeat_enabled']],
    ]
    for (const [request] of requests) await request()
    expect((await storedOf(id, 'session.changed')).map(({ fields }) => fields)).toEqual(
      requests.map(([, fields]) => fields),
    )
  })

  test('session.changed is not published by a request that is refused', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await app.patch(`/sessions/${id}/visibility`, { visibility: 'gone' })
    await app.patch(`/sessions/${id}`, { title: 'x'.repeat(101) })
    expect(await storedOf(id, 'session.changed')).toEqual([])
  })

  test('session.changed is not published for the bookkeeping of a turn', async () => {
    const { id } = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    await atRest(app, id)
    await app.patch(`/sessions/${id}/notes`, { session_notes: 'after' })
    const fields = (await storedOf(id, 'session.changed')).flatMap((payload) => payload.fields)
    for (const hidden of ['host_id', 'running_job_id', 'job_id', 'session_id', 'status'])
      expect(fields).not.toContain(hidden)
  })
})

describe('queue.changed', () => {
  test('queue.changed has the number of messages that wait, after every change of the queue', async () => {
    const id = await insertRunningSession(app.pool)
    const add = async (content: string) =>
      (await app.post(`/sessions/${id}/enqueued_messages`, { content })).body.enqueued_message.id
    const [first, second] = [await add('one'), await add('two')]
    await app.patch(`/sessions/${id}/enqueued_messages/${first}`, { content: 'changed' })
    await app.patch(`/sessions/${id}/enqueued_messages/${second}/reorder`, { position: 1 })
    await app.delete(`/sessions/${id}/enqueued_messages/${first}`)
    expect((await storedOf(id, 'queue.changed')).map(({ pending }) => pending)).toEqual([1, 2, 2, 2, 1])
  })

  test('queue.changed counts up without a gap while twelve callers queue at once', async () => {
    const id = await insertRunningSession(app.pool)
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => app.post(`/sessions/${id}/enqueued_messages`, { content: `m${n}` })),
    )
    const counts = (await storedOf(id, 'queue.changed')).map(({ pending }) => pending)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBe(12)
  })
})

test('triggers.changed is published when a trigger is made, changed, toggled, fired and deleted, and not by a refused change', async () => {
  const changes = async (id: number) => {
    const { rows } = await app.pool.query(
      "select count(*)::int as count from events where name = 'triggers.changed' and (payload::jsonb ->> 'trigger_id')::int = $1",
      [id],
    )
    return rows[0].count
  }
  const id = await app.trigger()
  expect(await changes(id)).toBe(1)
  await app.patch(`/triggers/${id}`, { name: 'Other' })
  await app.post(`/triggers/${id}/toggle`)
  expect(await changes(id)).toBe(3)
  await app.patch(`/triggers/${id}`, { name: '' })
  expect(await changes(id)).toBe(3)
  await app.post(`/triggers/${id}/toggle`)
  await app.invoke(id, { text: 'hello' })
  expect(await changes(id)).toBe(5)
  await app.delete(`/triggers/${id}`)
  expect(await changes(id)).toBe(6)
})

test('board.reordered names the section whose cards moved', async () => {
  const [one, other] = [await insertSession(app.pool), await insertSession(app.pool)]
  await app.post('/sessions/reorder', { ids: [one, other], session_id: one })
  expect(await storedOf(one, 'board.reordered')).toEqual([{ category_id: null }])
})

test('session.push_switch_changed tells each turn of the switch, and nothing if it stays', async () => {
  const id = await insertSession(app.pool)
  const turn = (body: object) => app.post(`/sessions/${id}/toggle_push_notifications`, body)
  for (const body of [{}, { enabled: false }, { enabled: true }]) await turn(body)
  expect(await storedOf(id, 'session.push_switch_changed')).toEqual([
    { push_notifications_enabled: false },
    { push_notifications_enabled: true },
  ])
})

test('every stored event has a kind of the contract, and carries nothing that a person or an agent said', async () => {
  const secret = 'a-word-of-this-test-alone'
  const { id } = await startDemo(app, { git_root: repository, lines: [`say ${secret}`] })
  await atRest(app, id)
  await app.patch(`/sessions/${id}`, { title: secret, goal: secret })
  await app.patch(`/sessions/${id}/notes`, { session_notes: secret })
  await app.post(`/sessions/${id}/enqueued_messages`, { content: `say ${secret}` })
  await app.trigger({ name: secret })
  const { rows } = await app.pool.query('select name, payload::text as payload from events')
  const kinds = new Map<string, (typeof eventKinds)[number]>(eventKinds.map((kind) => [kind.name, kind]))
  for (const { name, payload } of rows) {
    expect(kinds.get(name)?.payload.safeParse(JSON.parse(payload)).success, `${name} ${payload}`).toBe(true)
    expect(payload).not.toContain(secret)
  }
  const stored = new Set(rows.map(({ name }) => name))
  for (const { name } of transientKinds) expect(stored.has(name)).toBe(false)
})
