import { expect } from 'vitest'
import { type TestApp, testApp } from '../app/app.ts'

/** A body that `POST /work_backlog_items` takes. */
export function newItem(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    key: 'web#498',
    issue_url: 'https://forge.example/acme/web/issues/498',
    repo: 'acme/web',
    surface: 'web',
    title: 'Login redirect loops',
    kind: 'bug',
    scope_direction: 'convergent',
    estimated_cost: 'small',
    ...more,
  }
}

type Queued = { id: number; key: string; precedence: number; position: number }

export type BacklogApp = TestApp & {
  /** Queues an item and returns it. */
  queue(key: string, more?: Record<string, unknown>): Promise<Queued>
  /** The keys of the queue, first to last. */
  keys(): Promise<string[]>
  empty(): Promise<void>
}

/** Without workers: the sessions of started items stay as they were created. */
export function backlogApp(environment: Record<string, string> = {}): BacklogApp {
  const app = testApp({ environment: { ROLE: 'web', ...environment } }) as BacklogApp // completed below
  app.queue = async (key, more = {}) => {
    const { status, body } = await app.post('/work_backlog_items', newItem({ key, ...more }))
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.work_backlog_item
  }
  app.keys = async () => {
    const { rows } = await app.pool.query(
      "select key from work_backlog_items where status = 'queued' order by rank_key",
    )
    return rows.map(({ key }) => key)
  }
  app.empty = async () => {
    await app.pool.query('delete from work_backlog_items')
  }
  return app
}
