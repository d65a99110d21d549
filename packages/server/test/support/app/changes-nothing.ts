import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { expect } from 'vitest'
import { eventually } from '../vitest/eventually.ts'

/**
 * Runs `act` and compares every row of every table, jobs included, with the rows before it. Left out are the tables that
 * background work updates at any time: hosts, leases, reports of periodic runs and CLIs, cursors, the search index, the sweeps over what
 * transcripts cost, and the audit log, which records refused requests too, a moment later.
 */
export async function changesNothing<T>(pool: pg.Pool, act: () => Promise<T>): Promise<T> {
  const before = await onceQuiet(pool)
  const result = await act()
  expect(await everyRow(pool)).toEqual(before)
  return result
}

/** Background work of an earlier test may still be running. */
async function onceQuiet(pool: pg.Pool): Promise<unknown[]> {
  await postponeJobs(pool)
  let seen = await everyRow(pool)
  await eventually(
    async () => {
      const before = seen
      await wait(100)
      // Asked first: work that ends between the two is in the rows.
      const wasIdle = await isIdle(pool)
      seen = await everyRow(pool)
      return wasIdle && isDeepStrictEqual(before, seen)
    },
    (isQuiet) => isQuiet,
  )
  return seen
}

/** A job of an earlier test that comes due meanwhile would write. Tests about later jobs schedule them hours ahead. */
async function postponeJobs(pool: pg.Pool): Promise<void> {
  await pool.query(`
    update graphile_worker._private_jobs
    set run_at = run_at + interval '1 hour'
    where locked_at is null and run_at between now() + interval '1 second' and now() + interval '10 minutes'
  `)
}

/**
 * A running job still writes, and so does a subscription that lags behind, such as the one that generates titles. A job that has just
 * come due is about to run; one that is overdue waits for a host that the test did not start.
 */
async function isIdle(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ is_idle: boolean }>(`
    select not exists (
      select
      from graphile_worker._private_jobs
      where locked_at is not null
        or attempts < max_attempts and run_at between now() - interval '2 seconds' and now() + interval '1 second'
    ) and not exists (
      select
      from event_subscriptions as subscription
      join events on events.name = any(subscription.kinds)
      where events.position is null or events.position > subscription.position
    ) as is_idle
  `)
  return rows[0]?.is_idle ?? false
}

async function everyRow(pool: pg.Pool): Promise<unknown[]> {
  question ??= await writeQuestion(pool)
  return (await pool.query(question)).rows
}

/** All tests have the same tables. */
let question: string | undefined

async function writeQuestion(pool: pg.Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where (
        schemaname = 'public'
        and tablename not in (
          'hosts', 'leases', 'periodic_runs', 'event_subscriptions', 'cli_reports', 'host_reports', 'job_counts',
          'audit_entries', 'cost_backfills', 'cost_hand_overs'
        )
        and tablename not like 'search\\_%'
      )
      or (schemaname, tablename) = ('graphile_worker', '_private_jobs')
  `)
  // Events get their position a moment after they are written.
  const contents = tables.map(({ name }) => `select '${name}' as name, to_jsonb(t) - 'position' as row from ${name} t`)
  return `${contents.join(' union all ')} order by name, row`
}
