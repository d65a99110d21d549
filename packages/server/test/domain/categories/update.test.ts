import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** Changed an hour ago, so that a later `updated_at` shows in whole seconds. */
beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions', 'events')
  await app.pool.query(`
    insert into categories (name, description, position, is_frozen, created_at, updated_at)
    values ('Upkeep', 'Small repairs', 3, true, now() - interval '1 hour', now() - interval '1 hour')
  `)
})

const read = async () => (await app.get('/categories/1')).body.category

describe('PATCH /categories/:id answers 200', () => {
  test.each([
    ['name', 'Infra'],
    ['description', 'Machines'],
    ['is_frozen', false],
  ])('PATCH /categories/:id changes only %s; absent keys keep their values', async (key, value) => {
    const before = await read()
    const { status, body } = await app.patch('/categories/1', { [key]: value })
    expect(status).toBe(200)
    expect(body.category).toEqual({ ...before, [key]: value, updated_at: body.category.updated_at })
    expect(body.category.updated_at > before.updated_at).toBe(true)
    expect(await read()).toEqual(body.category)
  })

  test.each([[null], [''], ['  ']])('the description %j clears it', async (description) => {
    const { body } = await app.patch('/categories/1', { description })
    expect(body.category.description).toBeNull()
  })

  test('name and description are trimmed and may be as long as on create', async () => {
    const { status, body } = await app.patch('/categories/1', {
      name: ` ${'🚂'.repeat(100)} `,
      description: ` ${'🛤'.repeat(1000)} `,
    })
    expect([status, body.category.name, body.category.description]).toEqual([200, '🚂'.repeat(100), '🛤'.repeat(1000)])
  })

  test('a category may keep its name in another case', async () => {
    const { status, body } = await app.patch('/categories/1', { name: 'UPKEEP' })
    expect([status, body.category.name]).toEqual([200, 'UPKEEP'])
  })

  test('the position moves only by reordering', async () => {
    const { body } = await app.patch('/categories/1', { position: 0, name: 'Infra' })
    expect(body.category.position).toBe(3)
  })

  test.each([
    ['an empty change', {}],
    ['a change of unknown keys only', { position: 9, id: 4, colour: 'red' }],
  ])('PATCH /categories/:id with %s changes nothing, not even updated_at', async (_what, changes) => {
    const before = await read()
    const { status, body } = await changesNothing(app.pool, () => app.patch('/categories/1', changes))
    expect({ status, body }).toEqual({ status: 200, body: { category: before } })
  })

  test('PATCH /categories/:id answers 200 and changing a category publishes categories.changed', async () => {
    await app.patch('/categories/1', { name: 'Infra' })
    expect((await app.pool.query('select name from events')).rows).toEqual([{ name: 'categories.changed' }])
  })
})

describe('PATCH /categories/:id answers 422 and changes nothing', () => {
  const bad: [string, Record<string, unknown>, string][] = [
    ['a blank name', { name: ' ' }, "Name can't be blank"],
    ['a name that is null', { name: null }, 'Name must be a string'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'Name is too long (maximum is 100 characters)'],
    [
      'a description that is too long',
      { description: 'x'.repeat(1001) },
      'Description is too long (maximum is 1000 characters)',
    ],
    ['is_frozen null', { is_frozen: null }, 'Is frozen must be true or false'],
  ]
  test.each(bad)(
    'PATCH /categories/:id answers 422 and changes nothing for a category change with %s, also when its other fields are valid',
    async (_what, changes, message) => {
      const answer = await changesNothing(app.pool, () =>
        app.patch('/categories/1', { name: 'Infra', description: 'Machines', is_frozen: false, ...changes }),
      )
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test('PATCH /categories/:id answers 422 and changes nothing for a name another category has', async () => {
    await app.post('/categories', { name: 'Infra' })
    const answer = await changesNothing(app.pool, () =>
      app.patch('/categories/1', { name: ' INFRA ', is_frozen: false }),
    )
    expectProblem(answer, 422, 'Validation failed', 'Name has already been taken')
  })
})

describe('PATCH /categories/:id answers 404', () => {
  test.each(['2', '0', '99999999999999999999', 'upkeep'])(
    'PATCH /categories/:id answers 404 for the unknown category %s, and changes nothing',
    async (id) => {
      const answer = await changesNothing(app.pool, () => app.patch(`/categories/${id}`, { name: 'Infra' }))
      expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
    },
  )

  test('PATCH /categories/:id answers 404 for an unknown id, also when the body changes nothing', async () => {
    expectProblem(await app.patch('/categories/2', {}), 404, 'Not Found')
  })
})
