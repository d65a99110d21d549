import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** After this long a turn that a reached quota target should hold has not started. */
const watchedMs = 6000

/** Paused turns, turns that the kill came too early for, and a message behind one of them: none may be lost, and none may run on. */
export const killAtCeiling = {
  name: 'R84',
  what: 'kill -9 while running spot turns are paused at a quota target, or while they resume, restart',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const name = 'paused'
    let host = await cluster.up(name)
    const tags = Array.from({ length: isShort ? 2 : 4 }, (_, index) => `R84.${seed}.${index}`)
    const accepted = tags.map((tag) => ({ tag, number: 1 }))
    const ids = []
    for (const tag of tags)
      ids.push(
        await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 120'), { scheduling_class: 'spot' }),
      )
    await until('every agent works', async () => tags.every((tag) => has(cluster, tag, 1)), Boolean)
    const behind = await host.command('followUp', { id: ids[0], prompt: cluster.effects.prompt(tags[0], 2) })
    if (behind.answer) accepted.push({ tag: tags[0], number: 2 })

    await reading(cluster, 0.9)
    // The host dies before it answers.
    host.command('runPeriodic', { name: 'sweep_spot_ceiling' }).catch(() => undefined)
    await wait(random.between(0, 400))
    const atPause = await pausedOf(cluster, ids)
    await host.kill()
    host = await cluster.start(name)
    await until(
      'every session is paused or held, and no agent works',
      () => standingOf(cluster, ids),
      (sessions) => sessions.every(({ status, is_held, live }) => status === 'waiting' && is_held && live === 0),
      90_000,
    )
    await wait(watchedMs)
    const hasRunOn = (await liveOf(cluster, ids)) > 0 || has(cluster, tags[0], 2)

    await reading(cluster, 0.1)
    host.command('runPeriodic', { name: 'sweep_spot_ceiling' }).catch(() => undefined)
    await wait(random.between(0, 400))
    await host.kill()
    host = await cluster.start(name)
    await host.command('runPeriodic', { name: 'sweep_spot_ceiling' })
    if (behind.answer)
      await until('the message behind it is delivered', async () => has(cluster, tags[0], 2), Boolean, 90_000)
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      figures: { 'turns that were paused at the kill': atPause },
      problems: hasRunOn ? ['a turn ran although the target was reached'] : [],
    }
  },
}

/** The vendor's reading of an account of the demo runtime. A sweep of a host that starts sees it too. */
async function reading({ pool }, use) {
  await pool.query(
    `with account as (
       insert into accounts (runtime, email) values ('demo', 'one@example.test')
       on conflict (runtime, email) do update set updated_at = now()
       returning id
     )
     insert into quota_snapshots (account_id, account_email, account_runtime, trigger, utilization_5h, utilization_7d,
       reset_5h, reset_7d, status_5h, status_7d, active_session_count)
     select id, 'one@example.test', 'demo', 'scheduled', $1, 0.1, now() + interval '1 hour', now() + interval '1 day',
       'allowed', 'allowed', 0
     from account`,
    [use],
  )
}

async function pausedOf({ pool }, ids) {
  const { rows } = await pool.query(
    `select count(*)::int as count from sessions where id = any($1) and metadata ? 'spot_pause_at'`,
    [ids],
  )
  return rows[0].count
}

async function standingOf({ pool }, ids) {
  const { rows } = await pool.query(
    `select status, metadata ?| array['spot_pause_at', 'spot_hold_at'] as is_held,
       metadata ->> 'exit_status' as exit_status,
       (select count(*)::int from turns where session_id = sessions.id and state in ('dispatched', 'executing')) as live,
       (select string_agg(concat_ws(' ', source, state, outcome), ', ' order by sequence) from turns
         where session_id = sessions.id) as turns
     from sessions where id = any($1) order by id`,
    [ids],
  )
  return rows
}

async function liveOf({ pool }, ids) {
  const { rows } = await pool.query(
    `select count(*)::int as count from turns where session_id = any($1) and state in ('dispatched', 'executing')`,
    [ids],
  )
  return rows[0].count
}

function has({ effects }, tag, number) {
  return effects.lines().some((line) => line.tag === tag && line.number === number)
}
