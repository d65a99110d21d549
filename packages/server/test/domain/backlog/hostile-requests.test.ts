import { beforeAll, expect, test } from 'vitest'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { backlogApp, newItem } from '../../support/backlog/items.ts'

const app = backlogApp()
beforeAll(async () => {
  await app.queue('a')
})

test.each([
  '/work_backlog_items/99999999999999999999',
  '/work_backlog_items/9223372036854775808',
  '/work_backlog_items/-1',
  '/work_backlog_items/1e3',
  '/work_backlog_items/%00',
  '/work_backlog_items/..%2f..%2fsessions',
  '/work_backlog_items/constructor',
  `/work_backlog_items/${'k'.repeat(5000)}`,
  "/work_backlog_items/a'%20or%201=1--",
])('GET %s answers 404', async (path) => {
  expect((await app.get(path)).status).toBe(404)
})

test('a body that is no object, or that PostgreSQL cannot store, is refused with 422 everywhere and changes nothing', async () => {
  const bodies = [
    '[]',
    '[{}]',
    '"a"',
    '7',
    'null',
    '{',
    '{"key":"a\\u0000b"}',
    '{"key":"\\ud800"}',
    '{"reason":"\\udfff"}',
    `{"payload":${'['.repeat(200)}${']'.repeat(200)}}`,
    '{"precedence":1e999}',
  ]
  const paths = ['', '/pull', '/a/start_now', '/a/remove'].map((end) => ['POST', end] as const)
  await changesNothing(app.pool, async () => {
    for (const [method, end] of [...paths, ['PATCH', '/a/pin'] as const])
      for (const body of bodies) {
        const headers = { 'x-api-key': 'test-key', 'content-type': 'application/json' }
        const response = await app.send(`/api/v1/work_backlog_items${end}`, { method, headers, body })
        expect([end, body, response.status]).toEqual([end, body, 422])
      }
  })
})

test('values of wrong types are refused with 422 by every operation, and change nothing', async () => {
  const odd = [[], [[]], {}, 'x', 1.5, -1, true, 2 ** 60, 'x'.repeat(100_000), { length: 1 }, '__proto__']
  await changesNothing(app.pool, async () => {
    for (const value of odd) {
      const asked = [
        app.post('/work_backlog_items', newItem({ key: 'odd', estimated_cost: value })),
        app.post('/work_backlog_items', newItem({ key: 'odd', repo: value })),
        app.post('/work_backlog_items', newItem({ key: 'odd', decided_at: value })),
        app.post('/work_backlog_items/pull', { keys: value }),
        app.post('/work_backlog_items/pull', { count: value }),
        app.post('/work_backlog_items/pull', { dead: [value] }),
      ]
      for (const { status, body } of await Promise.all(asked))
        expect([value, status, body.error]).toMatchObject([value, 422, expect.stringMatching(/^Invalid/)])
    }
  })
})

test('a prototype key in a body changes no prototype and is no field', async () => {
  const body = JSON.parse(
    `${JSON.stringify(newItem({ key: 'proto' })).slice(0, -1)},"__proto__":{"pinned":true},"constructor":{"x":1}}`,
  )
  const { status, body: answer } = await app.post('/work_backlog_items', body)
  expect(status).toBe(201)
  expect(answer.work_backlog_item).toMatchObject({ pinned: false, payload: { constructor: { x: 1 } } })
  expect(Object.prototype).not.toHaveProperty('pinned')
})

test('texts of people are kept as they are, markup and right-to-left marks included', async () => {
  const title = '<script>alert(1)</script> \u202e "quoted" \u{1f600}'
  expect(await app.queue('odd\u{1f600}#1', { title })).toMatchObject({ title })
  const { body } = await app.get(`/work_backlog_items/${encodeURIComponent('odd\u{1f600}#1')}`)
  expect(body.work_backlog_item.title).toBe(title)
})
