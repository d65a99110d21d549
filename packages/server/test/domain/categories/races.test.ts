import { beforeEach, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions', 'events')
})

type Listed = { id: number; name: string; position: number }
const board = async (): Promise<Listed[]> => (await app.get('/categories')).body.categories

test('two concurrent creates with one name: one succeeds and the other is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all([
      app.post('/categories', { name: `Upkeep ${round}` }),
      app.post('/categories', { name: ` UPKEEP ${round} ` }),
    ])
    const [made, refused] = answers.toSorted((a, b) => a.status - b.status)
    expect(made?.status).toBe(201)
    if (refused) expectProblem(refused, 422, 'Validation failed', 'Name has already been taken')
  }
  expect(await board()).toHaveLength(5)
})

test('concurrent creates get distinct positions without a gap', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => app.post('/categories', { name: `c${n}` })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const positions: number[] = answers.map(({ body }) => body.category.position)
  expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n))
})

test('two concurrent renames to one name: one succeeds and the other is refused', async () => {
  await Promise.all(['a', 'b'].map((name) => app.post('/categories', { name })))
  const answers = await Promise.all([1, 2].map((id) => app.patch(`/categories/${id}`, { name: 'c' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  expect((await board()).filter(({ name }) => name === 'c')).toHaveLength(1)
})

test('concurrent changes of different keys are both kept', async () => {
  await app.post('/categories', { name: 'a' })
  await Promise.all([
    app.patch('/categories/1', { name: 'b' }),
    app.patch('/categories/1', { description: 'what belongs here' }),
    app.patch('/categories/1', { is_frozen: true }),
  ])
  expect(await board()).toMatchObject([{ name: 'b', description: 'what belongs here', is_frozen: true }])
})

test('concurrent reorders leave the complete order of one of them', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => n + 1)
  for (const n of ids) await app.post('/categories', { name: `c${n}` })
  const orders: (number | string)[][] = [
    [...ids, 'uncategorized'],
    ['uncategorized', ...ids.toReversed()],
    [...ids.slice(6), 'uncategorized', ...ids.slice(0, 6)],
  ]
  for (let round = 0; round < 4; round += 1) {
    const answers = await Promise.all(
      [...orders, ...orders].map((order) => app.post('/categories/reorder', { ids: order })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const found: (number | string)[] = []
    for (const { id, position } of await board()) found[position] = id
    found[(await app.get('/settings')).body.settings.uncategorized_position] = 'uncategorized'
    expect(orders).toContainEqual(found)
  }
})

test('a create during concurrent reorders goes to the end', async () => {
  for (const name of ['a', 'b', 'c']) await app.post('/categories', { name })
  const [created] = await Promise.all([
    app.post('/categories', { name: 'd' }),
    app.post('/categories/reorder', { ids: [3, 2, 1] }),
    app.post('/categories/reorder', { ids: [2, 3, 1] }),
  ])
  expect(created.body.category.position).toBe(3)
  expect((await board()).map(({ position }) => position)).toEqual([0, 1, 2, 3])
})

test('only one of several concurrent deletes finds the category', async () => {
  await app.post('/categories', { name: 'a' })
  const answers = await Promise.all(Array.from({ length: 6 }, () => app.delete('/categories/1')))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404])
})
