import { beforeEach, describe, expect, test } from 'vitest'
import { titleOf } from '../../../src/domain/backlog/spawn.ts'
import { expectProblem } from '../../support/app/app.ts'
import { backlogApp } from '../../support/backlog/items.ts'
import { signedIn } from '../../support/http/dashboard-browser.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = backlogApp()
beforeEach(() => app.empty())

const itemOf = async (key: string) => (await app.get(`/work_backlog_items/${key}`)).body.work_backlog_item

describe('POST /work_backlog_items/:id/start_now', () => {
  test('POST /work_backlog_items/:id/start_now starts an item in a priority session, wherever it stands', async () => {
    const acting = await insertSession(app.pool, { precedence: 5 })
    await app.queue('first')
    await app.queue('second')
    const { status, body } = await app.post('/work_backlog_items/second/start_now', { acting_session_id: acting })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      work_backlog_item: { key: 'second', status: 'started', position: null, started_by_session_id: acting },
      session: { scheduling_class: 'priority', precedence: 6, url: expect.stringContaining('/sessions/') },
    })
    expect(body.session.id).toBe(body.work_backlog_item.started_session_id)
    expect(await app.keys()).toEqual(['first'])
  })

  test('a person who starts an item on the dashboard makes a session with the genesis web_ui', async () => {
    await app.queue('first')
    const { body } = await (await signedIn(app)).post('/web/v1/work_backlog_items/first/start_now')
    expect(body.session.genesis).toBe('web_ui')
  })

  test('two callers who start one item at once get one session', async () => {
    await app.queue('a')
    const answers = await Promise.all([1, 2, 3].map(() => app.post('/work_backlog_items/a/start_now')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
    for (const answer of answers) if (answer.status === 422) expectProblem(answer, 422, 'Not queued', 'a is started')
  })

  test.each([
    ['Implement web#498 (Login redirect loops)', { key: 'x', title: 'Login redirect loops' }],
    ['Implement manual-tidy (Tidy)', { key: 'manual-tidy', title: 'Tidy', issue_url: null }],
    [`Implement web#498 (${'t'.repeat(77)}...)`, { key: 'x', title: 't'.repeat(1000) }],
    [`Implement ${'k'.repeat(87)}...`, { key: 'k'.repeat(200), title: 't', issue_url: null }],
  ])('a session is called %s', (expected, more) => {
    const issue_url = 'https://forge.example/acme/web/issues/498'
    expect(titleOf({ repo: 'acme/web', issue_url, ...more })).toBe(expected)
    expect(expected.length).toBeLessThanOrEqual(100)
  })
})

describe('PATCH /work_backlog_items/:id/pin and /unpin', () => {
  test('a pinned item stands where it was placed and is not moved by others', async () => {
    for (const key of ['a', 'b', 'c']) await app.queue(key)
    const { status, body } = await app.patch('/work_backlog_items/c/pin', { precedence: 7500 })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { work_backlog_item: { key: 'c', pinned: true, precedence: 7500, position: 1 } },
    })
    expect(await app.keys()).toEqual(['c', 'a', 'b'])
    await app.queue('d')
    expect(await itemOf('c')).toMatchObject({ pinned: true, precedence: 7500 })
    expect((await app.patch('/work_backlog_items/c/pin', { precedence: '-3' })).body.work_backlog_item).toMatchObject({
      precedence: -3,
      position: 4,
    })
  })

  test('unpin returns an item to the end of its band, and keeps a rank that lies in the band', async () => {
    for (const key of ['a', 'b']) await app.queue(key)
    await app.patch('/work_backlog_items/a/pin', { precedence: 9000 })
    const unpinned = await app.patch('/work_backlog_items/a/unpin')
    expect(unpinned).toMatchObject({
      status: 200,
      body: { work_backlog_item: { pinned: false, precedence: 5980, position: 2 } },
    })
    await app.patch('/work_backlog_items/a/pin', { precedence: 6500 })
    expect((await app.patch('/work_backlog_items/a/unpin')).body.work_backlog_item).toMatchObject({
      pinned: false,
      precedence: 6500,
      position: 1,
    })
    expect(await app.patch('/work_backlog_items/a/unpin')).toMatchObject({
      status: 200,
      body: { work_backlog_item: { pinned: false, precedence: 6500 } },
    })
  })

  test.each([
    ['Missing precedence', {}],
    ['Missing precedence', { precedence: null }],
    ['Invalid precedence', { precedence: 1.5 }],
    ['Invalid precedence', { precedence: 'high' }],
    ['Invalid precedence', { precedence: 2 ** 31 }],
    ['Invalid precedence', { precedence: -(2 ** 31) - 1 }],
    ['Invalid precedence', { precedence: [1] }],
  ])('pin answers 422 %s for %j', async (label, body) => {
    await app.queue('a')
    expectProblem(await app.patch('/work_backlog_items/a/pin', body), 422, label)
    expect(await itemOf('a')).toMatchObject({ pinned: false, precedence: 6000 })
  })
})

describe('POST /work_backlog_items/:id/remove', () => {
  test('POST /work_backlog_items/:id/remove takes an item off the queue and keeps its row', async () => {
    const { id } = await app.queue('a')
    await app.queue('b')
    const { status, body } = await app.post('/work_backlog_items/a/remove', {
      reason: ' superseded ',
      removed_by: 'alice',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        work_backlog_item: {
          id,
          status: 'removed',
          removal_reason: 'superseded',
          removed_by: 'alice',
          removed_at: expect.any(String),
          position: null,
        },
      },
    })
    expect((await itemOf('b')).position).toBe(1)
    expect((await app.post('/work_backlog_items/b/remove', { reason: 'x' })).body.work_backlog_item).toMatchObject({
      removed_by: 'human',
    })
  })

  test.each([{}, { reason: '  ' }, { reason: null }, { reason: 7 }])(
    'remove answers 422 Missing reason for %j',
    async (body) => {
      await app.queue('a')
      expectProblem(
        await app.post('/work_backlog_items/a/remove', body),
        422,
        'Missing reason',
        "Reason can't be blank",
      )
    },
  )

  test('a reason beyond 1,000 characters answers 422', async () => {
    await app.queue('a')
    expect((await app.post('/work_backlog_items/a/remove', { reason: 'x'.repeat(1001) })).status).toBe(422)
  })
})

describe('an item that is not queued, or does not exist', () => {
  const calls = (id: string | number) => [
    app.post(`/work_backlog_items/${id}/start_now`, {}),
    app.patch(`/work_backlog_items/${id}/pin`, { precedence: 1 }),
    app.patch(`/work_backlog_items/${id}/unpin`),
    app.post(`/work_backlog_items/${id}/remove`, { reason: 'x' }),
  ]

  test('start_now, pin, unpin and remove answer 422 Not queued with its status', async () => {
    await app.queue('a')
    await app.post('/work_backlog_items/pull', { keys: ['a'] })
    for (const answer of await Promise.all(calls('a'))) expectProblem(answer, 422, 'Not queued', 'a is started')
    const { id } = await app.queue('b')
    await app.post('/work_backlog_items/b/remove', { reason: 'x' })
    for (const answer of await Promise.all(calls(id))) expectProblem(answer, 422, 'Not queued', 'b is removed')
  })

  test('start_now, pin, unpin and remove answer 404, whatever the body says', async () => {
    for (const id of ['999999', 'nope', '99999999999999999999'])
      for (const answer of await Promise.all(calls(id))) expectProblem(answer, 404, 'Not Found')
    expectProblem(await app.patch('/work_backlog_items/nope/pin', {}), 404, 'Not Found')
    expectProblem(await app.post('/work_backlog_items/nope/remove', {}), 404, 'Not Found')
  })
})
