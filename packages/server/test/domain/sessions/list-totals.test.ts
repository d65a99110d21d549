import { expect, test } from 'vitest'
import { sumUpCounts } from '../../../src/domain/sessions/count-store.ts'
import { testApp } from '../../support/app/app.ts'
import { insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const queries = [
  '?show_archived=1',
  '',
  '?status=archived',
  '?status=running',
  '?agent_runtime=other',
  '?genesis=schedule',
  '?priority_class=spot',
  '?visibility=on_board',
  '?visibility=off_board&show_archived=1',
]

/** `total_count` equals the number of sessions that the list returns. */
async function expectExactTotals(): Promise<void> {
  for (const query of queries) {
    const { body } = await app.get(`/sessions${query}${query === '' ? '?' : '&'}per_page=100`)
    expect({ query, total: body.pagination.total_count }).toEqual({ query, total: body.sessions.length })
  }
}

test('the total of a list stays exact after inserts, updates, deletes, compaction and a truncate', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000)
  const anHourAgo = new Date(Date.now() - 3_600_000)
  const ids = await insertSessions(app.pool, [
    {},
    { agent_runtime: 'other' },
    { genesis: 'schedule', scheduling_class: 'spot' },
    { visibility: 'hidden' },
    { visibility: 'snoozed', snoozed_until: inAnHour },
    { visibility: 'snoozed', snoozed_until: anHourAgo },
    { status: 'archived', archived_at: anHourAgo },
  ])
  await insertSessions(app.pool, [{ summary_of_session_id: ids[0] }])
  await expectExactTotals()
  await app.pool.query(`update sessions set status = 'running' where id = any($1)`, [ids.slice(0, 3)])
  await app.pool.query(`update sessions set status = 'archived', archived_at = now() where id = $1`, [ids[3]])
  await app.pool.query(`update sessions set visibility = 'visible', snoozed_until = null where id = $1`, [ids[4]])
  await app.pool.query(`update sessions set scheduling_class = 'priority' where id = $1`, [ids[2]])
  await expectExactTotals()
  await app.delete(`/sessions/${ids[0]}`)
  await expectExactTotals()
  await app.pool.query(
    `insert into session_counts select 'waiting', 'demo', 'api', null, 'visible', 0 from generate_series(1, 600)`,
  )
  await Promise.all([sumUpCounts(app.host.app.db), sumUpCounts(app.host.app.db)])
  await expectExactTotals()
  expect((await app.pool.query('select from session_counts')).rowCount).toBeLessThan(10)
  await app.pool.query('truncate sessions cascade')
  await expectExactTotals()
})
