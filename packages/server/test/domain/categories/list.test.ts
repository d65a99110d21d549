import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions')
})

describe('GET /categories answers 200', () => {
  test('an empty board has no categories and no pagination', async () => {
    const { status, body } = await app.get('/categories')
    expect({ status, body }).toEqual({ status: 200, body: { categories: [] } })
  })

  test('each category has exactly the keys of the contract', async () => {
    await app.post('/categories', { name: 'Upkeep', description: 'Small repairs' })
    const { body } = await app.get('/categories')
    expect(body.categories).toEqual([
      {
        id: 1,
        name: 'Upkeep',
        description: 'Small repairs',
        position: 0,
        is_frozen: false,
        session_count: 0,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    ])
  })

  test('GET /categories sorts by position, then by creation time, then by id', async () => {
    await app.pool.query(`
      insert into categories (name, position, created_at) values
        ('last', 7, '2026-01-01'),
        ('younger', 2, '2026-03-01'),
        ('older', 2, '2026-02-01'),
        ('twin one', 1, '2026-01-01'),
        ('twin two', 1, '2026-01-01')
    `)
    const { body } = await app.get('/categories')
    expect(body.categories.map(({ name }: { name: string }) => name)).toEqual([
      'twin one',
      'twin two',
      'older',
      'younger',
      'last',
    ])
  })

  test('page and per_page are ignored: every category is listed', async () => {
    await app.pool.query(`insert into categories (name, position) select 'c' || n, n from generate_series(1, 130) n`)
    const { status, body } = await app.get('/categories?page=3&per_page=1')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['categories'])
    expect(body.categories).toHaveLength(130)
  })

  test('session_count counts every session of the category, archived ones included', async () => {
    const { id } = (await app.post('/categories', { name: 'Upkeep' })).body.category
    await app.post('/categories', { name: 'Infra' })
    await insertSession(app.pool, { category_id: id })
    await insertSession(app.pool, { category_id: id, status: 'archived', archived_at: '2026-08-01' })
    await insertSession(app.pool)
    const { body } = await app.get('/categories')
    expect(body.categories).toMatchObject([
      { name: 'Upkeep', session_count: 2 },
      { name: 'Infra', session_count: 0 },
    ])
  })

  test('GET /categories answers 200 and listing categories changes nothing', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    await changesNothing(app.pool, () => app.get('/categories'))
  })
})

test('GET /categories answers 401 without a key and with a wrong one', async () => {
  const response = await app.send('/api/v1/categories')
  expectProblem(
    { status: response.status, body: await response.json(), headers: response.headers },
    401,
    'Unauthorized',
    'Invalid or missing API key',
  )
  expect((await app.send('/api/v1/categories', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401)
})
