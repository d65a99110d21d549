import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const hourMs = 3_600_000

/** Leases use the database's clock, so hosts with wrong clocks do not take over each other's turns. */
export const wrongClock = {
  name: 'R14',
  what: 'one server an hour ahead, another an hour behind',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, random }) => {
    const hosts = [
      await cluster.up('ahead', { FAULT_CLOCK_SHIFT_MS: String(hourMs) }),
      await cluster.up('behind', { FAULT_CLOCK_SHIFT_MS: String(-hourMs) }),
    ]
    const accepted = []
    const ids = []
    for (let index = 0; index < 6; index += 1) {
      const tag = `R14.${seed}.${index}`
      // Longer than a lease plus the interval of the lease check.
      ids.push(await createSession(cluster, hosts[index % 2], cluster.effects.prompt(tag, 1, 'sleep 22')))
      accepted.push({ tag, number: 1 })
      await wait(random.between(0, 300))
    }
    const turns = await agentsUp(cluster, ids)
    await settled(cluster, ids)
    // A message to a resting session waits ten seconds by the database's clock, not an hour by the host's.
    for (const [index, id] of ids.entries()) {
      const { tag } = accepted[index]
      await hosts[index % 2].command('enqueue', { id, prompt: cluster.effects.prompt(tag, 2) })
    }
    await until(
      'the queued messages are delivered',
      async () =>
        cluster.effects
          .lines()
          .filter(({ tag, number, mark }) => accepted.some((one) => one.tag === tag) && number === 2 && mark === 'end'),
      ({ length }) => length === ids.length,
    )
    await settled(cluster, ids)
    accepted.push(...accepted.map(({ tag }) => ({ tag, number: 2 })))
    const { rows } = await cluster.pool.query('select outcome from turns where session_id = any($1)', [ids])
    // Hosts of earlier rounds that were never started again may have left some.
    const owners = hosts.map(({ hostId }) => hostId)
    const stolen = (await cluster.pool.query('select from abandoned_runs where host_id = any($1)', [owners])).rowCount
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      figures: { 'turns per host at least': Math.min(...hosts.map((host) => heldBy(turns, host))) },
      problems: [
        stolen > 0 && `${stolen} leases were stolen from a live holder`,
        rows.length !== accepted.length && `${rows.length} turns for ${accepted.length} prompts`,
      ].filter(Boolean),
    }
  },
}

function heldBy(turns, { hostId }) {
  return turns.filter(({ lease_owner }) => lease_owner === hostId).length
}
