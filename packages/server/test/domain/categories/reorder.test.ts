import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** Five categories, ids 1 to 5, `a` to `e`, at positions 0 to 4. */
beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions', 'events')
  await app.pool.query('update settings set uncategorized_position = 9')
  await app.pool.query(`
    insert into categories (name, position, created_at, updated_at)
    select chr(96 + n), n - 1, timestamptz '2026-01-01' + n * interval '1 day', timestamptz '2026-01-01'
    from generate_series(1, 5) as n
  `)
})

const reorder = (ids: unknown) => app.post('/categories/reorder', { ids })
const positions = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await app.get('/categories')).body.categories.map(({ name, position }: { name: string; position: number }) => [
      name,
      position,
    ]),
  )
const uncategorizedPosition = async () => (await app.get('/settings')).body.settings.uncategorized_position

describe('POST /categories/reorder answers 200', () => {
  test('each listed category has its index as position, and the answer is the whole board in its new order', async () => {
    const { status, body } = await reorder([5, 4, 3, 2, 1])
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['categories'])
    expect(body.categories.map(({ id }: { id: number }) => id)).toEqual([5, 4, 3, 2, 1])
    expect(body).toEqual((await app.get('/categories')).body)
  })

  test('the sentinel takes an index, which becomes the place of Uncategorized, and is not in the answer', async () => {
    const { body } = await reorder([3, 'uncategorized', 1])
    expect(await positions()).toMatchObject({ c: 0, a: 2 })
    expect(await uncategorizedPosition()).toBe(1)
    expect(body.categories).toHaveLength(5)
  })

  test('Uncategorized keeps its place when it is not listed', async () => {
    await reorder([2, 1])
    expect(await uncategorizedPosition()).toBe(9)
  })

  test('categories that are not listed keep their positions; ties go by creation', async () => {
    const { body } = await reorder([4, 5])
    expect(await positions()).toEqual({ a: 0, b: 1, c: 2, d: 0, e: 1 })
    expect(body.categories.map(({ name }: { name: string }) => name)).toEqual(['a', 'd', 'b', 'e', 'c'])
  })

  test('digits in a string are an id', async () => {
    await reorder(['3', 2, '1'])
    expect(await positions()).toMatchObject({ c: 0, b: 1, a: 2 })
  })

  test('an unknown id takes an index and changes nothing', async () => {
    await reorder([99, 3, 999_999_999_999_999, 1])
    expect(await positions()).toMatchObject({ c: 1, a: 3 })
  })

  test('entries that are neither an id nor the sentinel are dropped before indexes are assigned', async () => {
    const { status } = await reorder([
      null,
      5,
      '',
      0,
      '0',
      -3,
      1.5,
      'x',
      'Uncategorized',
      true,
      {},
      [1],
      '99999999999999999999',
      4,
    ])
    expect(status).toBe(200)
    expect(await positions()).toMatchObject({ e: 0, d: 1 })
    expect(await uncategorizedPosition()).toBe(9)
  })

  test('the last index counts for an entry that is listed twice', async () => {
    await reorder([3, 'uncategorized', 1, 3, 'uncategorized'])
    expect(await positions()).toMatchObject({ a: 2, c: 3 })
    expect(await uncategorizedPosition()).toBe(4)
  })

  test.each([
    ['an empty list', { ids: [] }],
    ['no list', {}],
    ['null', { ids: null }],
    ['entries that name nothing', { ids: ['x', null, 0] }],
  ])('POST /categories/reorder answers 200 and moves nothing for %s', async (_what, body) => {
    const before = (await app.get('/categories')).body
    const answer = await changesNothing(app.pool, () => app.post('/categories/reorder', body))
    expect([answer.status, answer.body]).toEqual([200, before])
  })

  test('only moved categories get a new updated_at', async () => {
    const { body } = await reorder([1, 3, 2])
    const isStamped = ({ updated_at }: { updated_at: string }) => updated_at !== '2026-01-01T00:00:00Z'
    expect(body.categories.filter(isStamped).map(({ name }: { name: string }) => name)).toEqual(['c', 'b'])
  })

  test('POST /categories/reorder answers 200 and reordering categories publishes categories.changed', async () => {
    await reorder([2, 1])
    expect((await app.pool.query('select name from events')).rows).toEqual([{ name: 'categories.changed' }])
  })
})

describe('POST /categories/reorder answers 422 and changes nothing', () => {
  test.each([['1,2'], [5], [{ '0': 5 }], [true]])(
    'POST /categories/reorder answers 422 and changes nothing for ids that are %j',
    async (ids) => {
      const answer = await changesNothing(app.pool, () => reorder(ids))
      expectProblem(answer, 422, 'Validation failed', 'Ids must be an array')
    },
  )
})
