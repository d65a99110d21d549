import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'categories', 'sessions', 'events')
})

describe('DELETE /categories/:id answers 204', () => {
  test('DELETE /categories/:id answers 204 without a body, and the category is gone', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    const answer = await app.delete('/categories/1')
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect((await app.get('/categories/1')).status).toBe(404)
    expect((await app.get('/categories')).body).toEqual({ categories: [] })
  })

  test('its sessions become Uncategorized, including archived ones, and other sessions keep their category', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    await app.post('/categories', { name: 'Infra' })
    const live = await insertSession(app.pool, { category_id: 1 })
    const archived = await insertSession(app.pool, { category_id: 1, status: 'archived', archived_at: '2026-08-01' })
    const other = await insertSession(app.pool, { category_id: 2 })
    await app.delete('/categories/1')
    for (const id of [live, archived]) {
      expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({ id, category_id: null, category: null })
    }
    expect((await app.get(`/sessions/${other}`)).body.session.category).toEqual({
      id: 2,
      name: 'Infra',
      position: 1,
      is_frozen: false,
    })
  })

  test('the others keep their positions, and the name is free again', async () => {
    for (const name of ['a', 'b', 'c']) await app.post('/categories', { name })
    await app.delete('/categories/2')
    expect((await app.get('/categories')).body.categories).toMatchObject([
      { name: 'a', position: 0 },
      { name: 'c', position: 2 },
    ])
    expect((await app.post('/categories', { name: 'B' })).body.category.position).toBe(3)
  })

  test('DELETE /categories/:id accepts an empty JSON body', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    const response = await app.send('/api/v1/categories/1', {
      method: 'DELETE',
      headers: { 'x-api-key': 'test-key', 'content-type': 'application/json' },
    })
    expect(response.status).toBe(204)
  })

  test('DELETE /categories/:id answers 204 and deleting a category publishes categories.changed', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    await emptyTables(app.pool, 'events')
    await app.delete('/categories/1')
    expect((await app.pool.query('select name from events')).rows).toEqual([{ name: 'categories.changed' }])
  })
})

describe('DELETE /categories/:id answers 404', () => {
  test.each(['2', '0', '99999999999999999999', 'uncategorized'])(
    'DELETE /categories/:id answers 404 for the unknown category %s, and changes nothing',
    async (id) => {
      await app.post('/categories', { name: 'Upkeep' })
      const answer = await changesNothing(app.pool, () => app.delete(`/categories/${id}`))
      expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
    },
  )

  test('DELETE /categories/:id answers 404 the second time', async () => {
    await app.post('/categories', { name: 'Upkeep' })
    await app.delete('/categories/1')
    expectProblem(await app.delete('/categories/1'), 404, 'Not Found')
  })
})
