import { expect } from 'vitest'
import type { TestApp } from '../app/app.ts'

type Order = Record<string, unknown>

/** Budgets of a test app, and what is spent of them. */
export function budgetHelpers(app: TestApp) {
  async function budget(order: Order): Promise<number> {
    const { status, body } = await app.post('/budgets', { period: 'day', ...order })
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.budget.id
  }

  const show = async (id: number) => (await app.get(`/budgets/${id}`)).body.budget
  const raise = (id: number, limit: Order) => app.patch(`/budgets/${id}`, limit)

  async function spend(tokens: number, columns: Order = {}): Promise<void> {
    const row: Order = { day: new Date(), is_adhoc: false, model: 'demo', tokens, input_tokens: tokens, ...columns }
    const rest = ['output', 'cache_read', 'cache_creation_5m', 'cache_creation_1h', 'cache_creation_unsplit']
    for (const name of rest) row[`${name}_tokens`] = 0
    row.web_search_requests = 0
    const names = Object.keys(row)
    await app.pool.query(
      `insert into spend_days (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    )
  }

  async function notifications(): Promise<string[]> {
    const { rows } = await app.pool.query('select notification_type, body from notifications order by id')
    return rows
      .map(({ notification_type: type, body }) => `${type}: ${body}`)
      .filter((text) => text.startsWith('budget'))
  }

  async function withdrawals(sessionId: number): Promise<unknown[]> {
    const { rows } = await app.pool.query('select withdrawn_by from turns where session_id = $1', [sessionId])
    return rows.map(({ withdrawn_by }) => withdrawn_by)
  }

  const holdOf = async (id: number) => (await app.get(`/sessions/${id}`)).body.session.metadata

  return { budget, show, raise, spend, notifications, withdrawals, holdOf }
}
