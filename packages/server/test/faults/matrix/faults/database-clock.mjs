import { setTimeout as wait } from 'node:timers/promises'
import { allFired, createTriggers, judgeFires, onceIn, triggerFault } from '../triggers.mjs'

/**
 * Which clock decides what: slots, `armed_at`, bursts, retries, leases and the times of jobs are compared with the database's
 * clock, in SQL or by `selectNow`. A host's own clock (R55) decides nothing about a fire: it dates the slug of a session and
 * the warning that a one-time schedule is in the past. So this row sets the database's clock, and the hosts keep theirs.
 */
export const databaseClockMoves = triggerFault({
  name: 'R59',
  what: "the database's clock is set forward an hour and back, or back and forward, while schedules fire",
  limitSeconds: 180,
  startHosts: async ({ cluster, seed, environment }) => {
    await cluster.stopHosts()
    await makeClock(cluster.pool)
    return cluster.only(1 + (seed % 2), environment)
  },
  round: async (setting) => {
    const { cluster, random, isShort, tags } = setting
    const accepted = tags(isShort ? 4 : 10)
    const half = accepted.length / 2
    try {
      const soon = await createTriggers(setting, accepted.slice(0, half), await onceIn(cluster, 3))
      // Due only while the clock is an hour ahead.
      const later = await createTriggers(setting, accepted.slice(half), await onceIn(cluster, 3_000))
      const hours = random.pick([
        [1, 0],
        [-1, 0, 1, 0],
      ])
      for (const hour of hours) {
        await wait(random.between(0, 4000))
        await setClock(cluster.pool, hour)
        if (hour === 1) await allFired(cluster, [...soon, ...later])
      }
      return judgeFires(cluster, accepted, await allFired(cluster, [...soon, ...later]))
    } finally {
      await cluster.stopHosts()
      await removeClock(cluster.pool)
    }
  },
})

/**
 * A clock of the database that can be set: functions that new connections find before those of PostgreSQL. The hosts' SQL
 * and the job queue's call them by the same names.
 */
async function makeClock(pool) {
  await pool.query(`
    create schema if not exists faults;
    create table if not exists faults.clock (shift interval not null);
    delete from faults.clock;
    insert into faults.clock values ('0');
    create or replace function faults.now() returns timestamptz stable language sql
      as 'select pg_catalog.now() + shift from faults.clock';
    create or replace function faults.clock_timestamp() returns timestamptz volatile language sql
      as 'select pg_catalog.clock_timestamp() + shift from faults.clock';
    do $$ begin execute format('alter database %I set search_path = public, faults, pg_catalog', current_database()); end $$;
  `)
}

async function setClock(pool, hours) {
  await pool.query('update faults.clock set shift = make_interval(hours => $1)', [hours])
}

/** The functions stay, without a shift: the defaults of columns that were made meanwhile call them. */
async function removeClock(pool) {
  await setClock(pool, 0)
  await pool.query(`do $$ begin execute format('alter database %I reset search_path', current_database()); end $$`)
}
