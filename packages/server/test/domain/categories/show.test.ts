import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

describe('GET /categories/:id answers 200', () => {
  test('the category alone, with its count of sessions', async () => {
    const { category } = (await app.post('/categories', { name: 'Upkeep' })).body
    await insertSession(app.pool, { category_id: category.id })
    const { status, body } = await app.get(`/categories/${category.id}`)
    expect({ status, body }).toEqual({ status: 200, body: { category: { ...category, session_count: 1 } } })
  })
})

test.each([
  ['an unused id', '999'],
  ['zero', '0'],
  ['a negative id', '-1'],
  ['more digits than a 64-bit integer', '99999999999999999999'],
  ['a name', 'upkeep'],
  ['a fraction', '1.5'],
  ['digits with something behind them', '1x'],
  ['the sentinel of reorder', 'uncategorized'],
  ['a NUL', '%00'],
  ['a broken percent sequence', '%zz'],
])('GET /categories/:id answers 404 for %s', async (_what, id) => {
  expectProblem(await app.get(`/categories/${id}`), 404, 'Not Found', 'The requested resource was not found')
})
