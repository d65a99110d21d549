import type pg from 'pg'
import { eventually } from '../vitest/eventually.ts'

/**
 * Lets only the test run a periodic task of one host at a time. Waits for the run with which a host starts, and then holds its lease
 * as another host would; the host notices long before the next interval.
 */
export async function leaveToTest(pool: pg.Pool, task: string): Promise<void> {
  await eventually(
    () => pool.query('select from periodic_runs where name = $1', [task]),
    ({ rowCount }) => rowCount === 1,
  )
  await pool.query("update leases set owner = 'a test', expires_at = now() + interval '1 day' where name = $1", [task])
}
