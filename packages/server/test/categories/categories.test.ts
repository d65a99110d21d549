import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../support/app.ts'

const app = testApp()

describe('GET /categories', () => {
  test('an empty board has no categories', async () => {
    expect((await app.get('/categories')).body).toEqual({ categories: [] })
  })
})

describe('POST /categories', () => {
  test('a new category goes to the end', async () => {
    const first = await app.post('/categories', { name: 'Upkeep' })
    const second = await app.post('/categories', { name: 'Infra' })
    expect(first.status).toBe(201)
    expect(first.body.category).toMatchObject({
      name: 'Upkeep',
      description: null,
      position: 0,
      is_frozen: false,
      session_count: 0,
    })
    expect(second.body.category.position).toBe(1)
  })

  test('a name is needed', async () => {
    expectProblem(await app.post('/categories', {}), 422, 'Validation failed', "Name can't be blank")
  })
})
