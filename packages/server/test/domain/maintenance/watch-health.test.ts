import { describe, expect, test } from 'vitest'
import { watchHealth } from '../../../src/domain/maintenance/watch-health.ts'
import { testApp } from '../../support/app/app.ts'

/** Runs nothing, so no host is at work: that is critical. */
const app = testApp({ environment: { ROLE: 'web' } })

async function announced(): Promise<unknown[]> {
  const { rows } = await app.pool.query("select payload from events where name = 'health.changed' order by id")
  return rows.map(({ payload }) => payload)
}

const check = () => watchHealth(app.host.app)

describe('watching the health report', () => {
  test('a part that is critical is announced at the second check, once, and again when it is over', async () => {
    const critical = { part: 'system_health', change: 'critical', message: 'No host runs turns and jobs' }
    await check()
    expect(await announced()).toEqual([])
    await check()
    expect(await announced()).toEqual([critical])
    await check()
    expect(await announced()).toHaveLength(1)
    await app.pool.query("insert into hosts values ('a', now())")
    await check()
    await check()
    expect(await announced()).toEqual([critical, { ...critical, change: 'recovered', message: expect.any(String) }])
  })

  test('a part that is critical at one check only is not announced', async () => {
    const before = await announced()
    for (const statement of ['delete from hosts', "insert into hosts values ('a', now())", 'delete from hosts']) {
      await app.pool.query(statement)
      await check()
    }
    expect(await announced()).toEqual(before)
    await app.pool.query("insert into hosts values ('a', now())")
    await check()
  })

  test('a part that could not be found out neither begins nor ends anything', async () => {
    await app.pool.query('delete from hosts')
    await check()
    await check()
    const before = await announced()
    await app.pool.query('alter table job_counts rename to job_counts_away')
    await check()
    await app.pool.query('alter table job_counts_away rename to job_counts')
    await check()
    expect(await announced()).toEqual(before)
  })
})
