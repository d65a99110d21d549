import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions', 'events')
})

describe('POST /categories answers 201', () => {
  test('a new category starts empty, thawed and without a description', async () => {
    const { status, body } = await app.post('/categories', { name: 'Upkeep' })
    expect(status).toBe(201)
    expect(body).toEqual({
      category: {
        id: 1,
        name: 'Upkeep',
        description: null,
        position: 0,
        is_frozen: false,
        session_count: 0,
        created_at: body.category.updated_at,
        updated_at: expect.stringMatching(/Z$/),
      },
    })
  })

  test('a new category goes to the end, also after a gap', async () => {
    const first = await app.post('/categories', { name: 'Upkeep' })
    await app.pool.query('update categories set position = 41')
    const second = await app.post('/categories', { name: 'Infra' })
    expect([first.body.category.position, second.body.category.position]).toEqual([0, 42])
  })

  test('a category can be created frozen', async () => {
    const { body } = await app.post('/categories', { name: 'Later', is_frozen: true })
    expect(body.category.is_frozen).toBe(true)
  })

  test('white space around the name is dropped, inside it stays', async () => {
    const { body } = await app.post('/categories', { name: ' \t Up  keep\n' })
    expect(body.category.name).toBe('Up  keep')
  })

  test('POST /categories trims the description', async () => {
    const { body } = await app.post('/categories', { name: 'Upkeep', description: '  what breaks \n' })
    expect(body.category.description).toBe('what breaks')
  })

  test.each([[''], ['   '], ['\n\t'], [null]])('the blank description %j is null', async (description) => {
    const { status, body } = await app.post('/categories', { name: 'Upkeep', description })
    expect([status, body.category.description]).toEqual([201, null])
  })

  test('a name may have 100 characters and a description 1000, whatever alphabet they are of', async () => {
    const name = '🚂'.repeat(100)
    const description = '🛤'.repeat(1000)
    const { status, body } = await app.post('/categories', { name: ` ${name} `, description })
    expect([status, body.category.name, body.category.description]).toEqual([201, name, description])
  })

  test('keys that are not writable are dropped', async () => {
    const { status, body } = await app.post('/categories', {
      name: 'Upkeep',
      id: 77,
      position: 12,
      session_count: 5,
      created_at: '2020-01-01T00:00:00Z',
      colour: 'red',
    })
    expect(status).toBe(201)
    expect(body.category).toMatchObject({ id: 1, position: 0, session_count: 0 })
    expect(body.category.created_at).not.toBe('2020-01-01T00:00:00Z')
    expect(body.category).not.toHaveProperty('colour')
  })

  test('POST /categories answers 201 and creating a category publishes categories.changed', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    const { rows } = await app.pool.query('select name from events')
    expect(rows).toEqual([{ name: 'categories.changed' }])
  })
})

describe('POST /categories answers 422 and changes nothing', () => {
  const bad: [string, Record<string, unknown>, string][] = [
    ['no name', {}, "Name can't be blank"],
    ['an empty name', { name: '' }, "Name can't be blank"],
    ['a name of white space', { name: ' \n ' }, "Name can't be blank"],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'Name is too long (maximum is 100 characters)'],
    ['a name of 101 astral characters', { name: '🚂'.repeat(101) }, 'Name is too long (maximum is 100 characters)'],
    ['a name that is a number', { name: 5 }, 'Name must be a string'],
    ['a name that is null', { name: null }, 'Name must be a string'],
    ['a name that is a list', { name: ['Upkeep'] }, 'Name must be a string'],
    [
      'a description of 1001 characters',
      { name: 'Upkeep', description: '🛤'.repeat(1001) },
      'Description is too long (maximum is 1000 characters)',
    ],
    ['a description that is an object', { name: 'Upkeep', description: {} }, 'Description must be a string'],
    ['is_frozen in words', { name: 'Upkeep', is_frozen: 'yes' }, 'Is frozen must be true or false'],
    ['is_frozen null', { name: 'Upkeep', is_frozen: null }, 'Is frozen must be true or false'],
  ]
  test.each(bad)(
    'POST /categories answers 422 and changes nothing for a new category with %s',
    async (_what, body, message) => {
      const answer = await changesNothing(app.pool, () => app.post('/categories', body))
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test('POST /categories answers 422 and changes nothing with all problems of a new category in one answer', async () => {
    expectProblem(
      await app.post('/categories', { name: '', description: 'x'.repeat(1001), is_frozen: 1 }),
      422,
      'Validation failed',
      "Name can't be blank",
      'Description is too long (maximum is 1000 characters)',
      'Is frozen must be true or false',
    )
  })

  test.each(['Upkeep', 'UPKEEP', '  upkeep  '])(
    'POST /categories answers 422 and changes nothing for %j while Upkeep exists',
    async (name) => {
      await app.post('/categories', { name: 'Upkeep' })
      const answer = await changesNothing(app.pool, () => app.post('/categories', { name }))
      expectProblem(answer, 422, 'Validation failed', 'Name has already been taken')
    },
  )

  test('POST /categories answers 422 and changes nothing for a name that differs only in the case of letters outside ASCII', async () => {
    await app.post('/categories', { name: 'Größe Ärger Ёлка' })
    const answer = await changesNothing(app.pool, () => app.post('/categories', { name: 'GRÖßE ÄRGER ЁЛКА' }))
    expectProblem(answer, 422, 'Validation failed', 'Name has already been taken')
  })

  test.each([
    ['broken JSON', '{"name": "Upk', 'Invalid JSON'],
    ['a list', '[]', 'Invalid JSON'],
    ['a NUL', '{"name": "a\\u0000b"}', 'Invalid JSON'],
    ['half a surrogate pair', '{"name": "a\\ud83d"}', 'Invalid JSON'],
  ])('POST /categories answers 422 and changes nothing for a category body with %s', async (_what, body, error) => {
    const response = await changesNothing(app.pool, () =>
      app.send('/api/v1/categories', {
        method: 'POST',
        headers: { 'x-api-key': 'test-key', 'content-type': 'application/json' },
        body,
      }),
    )
    expectProblem({ status: response.status, body: await response.json(), headers: response.headers }, 422, error)
  })
})

test('POST /categories answers 401 without a key, before the body is parsed, and changes nothing', async () => {
  const response = await changesNothing(app.pool, () =>
    app.send('/api/v1/categories', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name": "Upkeep"}',
    }),
  )
  expect(response.status).toBe(401)
})
