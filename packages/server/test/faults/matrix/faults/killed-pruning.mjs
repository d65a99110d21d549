import { setTimeout as wait } from 'node:timers/promises'
import { judge } from '../effects.mjs'

const youngLines = 500

export const killedPruning = {
  name: 'R76',
  what: 'hosts are killed while they delete old log lines; later runs delete all of them, and no young one',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    await cluster.only(1)
    const oldLines = isShort ? 20_000 : 60_000
    const { rows } = await cluster.pool.query(
      `insert into sessions (agent_runtime, genesis, git_root, branch, status) values ('demo', 'api', '/none', 'main', 'needs_input') returning id`,
    )
    const id = rows[0].id
    const add = (age, count) =>
      cluster.pool.query(
        `insert into session_logs (session_id, level, origin, content, created_at)
         select $1, 'info', 'service', $2::text, now() - $2::text::interval from generate_series(1, $3::int)`,
        [id, age, count],
      )
    await add('91 days', oldLines)
    await add('89 days', youngLines)
    const count = async (age) =>
      (await cluster.pool.query('select from session_logs where session_id = $1 and content = $2', [id, age])).rowCount
    let kills = 0
    for (let attempt = 0; attempt < (isShort ? 3 : 6); attempt += 1) {
      const hosts = await cluster.only(1 + (seed % 2))
      for (const host of hosts) host.command('runPeriodic', { name: 'prune_logs' }).catch(() => undefined)
      await wait(random.between(1, 400))
      if ((await count('91 days')) === 0) break
      await hosts[0].kill()
      kills += 1
    }
    const [host] = await cluster.only(1)
    await host.command('runPeriodic', { name: 'prune_logs' })
    const [old, young] = [await count('91 days'), await count('89 days')]
    await cluster.pool.query('delete from sessions where id = $1', [id])
    return {
      ...judge(cluster.effects, [], cluster.homes()),
      problems: [
        old > 0 && `${old} old lines are left`,
        young !== youngLines && `${young} of ${youngLines} young lines are left`,
      ].filter(Boolean),
      figures: { kills },
    }
  },
}
