import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const hourMs = 3_600_000

/** Leases run by the database's clock: two hosts that disagree by two hours take nothing from each other. */
export const wrongClock = {
  name: 'R14',
  what: 'one server an hour ahead, another an hour behind',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ yard, seed, random }) => {
    const hosts = [
      await yard.up('ahead', { FAULT_CLOCK_SHIFT_MS: String(hourMs) }),
      await yard.up('behind', { FAULT_CLOCK_SHIFT_MS: String(-hourMs) }),
    ]
    const accepted = []
    const ids = []
    for (let index = 0; index < 6; index += 1) {
      const tag = `R14.${seed}.${index}`
      // Longer than a lease and the watch over leases together.
      ids.push(await createSession(yard, hosts[index % 2], yard.effects.prompt(tag, 1, 'sleep 22')))
      accepted.push({ tag, number: 1 })
      await wait(random.between(0, 300))
    }
    const turns = await atWork(yard, ids)
    await settled(yard, ids)
    const { rows } = await yard.pool.query('select outcome from turns where session_id = any($1)', [ids])
    const stolen = (await yard.pool.query('select from abandoned_runs')).rowCount
    return {
      ...judge(yard.effects, accepted, yard.homes()),
      figures: { 'turns per host at least': Math.min(...hosts.map((host) => heldBy(turns, host))) },
      problems: [
        stolen > 0 && `${stolen} leases were stolen from a live holder`,
        rows.length !== ids.length && `${rows.length} turns for ${ids.length} sessions`,
      ].filter(Boolean),
    }
  },
}

function heldBy(turns, { hostId }) {
  return turns.filter(({ lease_owner }) => lease_owner === hostId).length
}
