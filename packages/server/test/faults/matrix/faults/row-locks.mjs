import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** Longer than a lease (15 s) plus the interval of the lease check (5 s). */
const lockedMs = 24_000

export const rowLocks = {
  name: 'R29',
  what: 'requests that wait for a row lock use up the request pool; no turn is taken from its live server',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random }) => {
    const hosts = await cluster.only(1 + (seed % 3))
    const accepted = []
    const ids = []
    for (let index = 0; index < 3; index += 1) {
      const tag = `R29.${seed}.${index}`
      ids.push(await createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1, 'sleep 30')))
      accepted.push({ tag, number: 1 })
    }
    const locked = await createSession(cluster, hosts[0], 'say ready')
    const turns = await agentsUp(cluster, ids)
    const client = await cluster.pool.connect()
    const problems = new Set()
    try {
      await client.query('begin')
      await client.query('select from sessions where id = $1 for update', [locked])
      const until = performance.now() + lockedMs
      const crowd = hosts.flatMap((host) =>
        Array.from({ length: 40 }, async () => {
          while (performance.now() < until) {
            const { status } = await host.post(`/api/v1/sessions/${locked}/pause`)
            if (status >= 500 && status !== 503) problems.add(`a request answered ${status}`)
            await wait(50)
          }
        }),
      )
      while (performance.now() < until) {
        const { status } = await hosts[0].get('/up/deep')
        if (status !== 200) problems.add(`/up/deep answered ${status}`)
        await wait(2000)
      }
      await client.query('rollback')
      await Promise.all(crowd)
    } finally {
      client.release()
    }
    await settled(cluster, [...ids, locked])
    const { rows } = await cluster.pool.query('select from abandoned_runs where run_marker = any($1)', [
      turns.map(({ run_marker }) => run_marker),
    ])
    if (rows.length > 0) problems.add(`${rows.length} turns were taken from a live server`)
    return { ...judge(cluster.effects, accepted, cluster.homes()), problems: [...problems] }
  },
}
