import { setTimeout as wait } from 'node:timers/promises'
import { allFired, createTriggers, judgeFires, onceIn, triggerFault } from '../triggers.mjs'

const count = (isShort) => (isShort ? 4 : 10)

/** One-time schedules that are due in so many seconds, one for each accepted tag. */
async function schedule(setting, size, seconds = 3) {
  const accepted = setting.tags(size)
  return { accepted, triggers: await createTriggers(setting, accepted, await onceIn(setting.cluster, seconds)) }
}

export const killWhileSchedulesFire = triggerFault({
  name: 'R50',
  what: 'kill -9 of the server while schedules fire; restart, or the other server goes on',
  limitSeconds: 180,
  round: async (setting) => {
    const { cluster, random, isShort, killFirst } = setting
    const { accepted, triggers } = await schedule(setting, count(isShort))
    await wait(random.between(0, 4000))
    await killFirst()
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
})

export const sameSlotOnTwoHosts = triggerFault({
  name: 'R53',
  what: 'two servers fire the same schedules at the same second',
  seeds: 20,
  limitSeconds: 150,
  startHosts: ({ cluster, environment }) => cluster.only(2, environment),
  round: async (setting) => {
    const { cluster, isShort } = setting
    const { accepted, triggers } = await schedule(setting, 2 * count(isShort))
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
})

const hourMs = 3_600_000

/** Slots are compared with the database's clock, so a host's own clock does not matter. */
export const frozenWithWrongClock = triggerFault({
  name: 'R55',
  what: 'two servers, an hour ahead and an hour behind; one is frozen while schedules fire and comes back',
  seeds: 20,
  limitSeconds: 180,
  startHosts: async ({ cluster, environment, random }) => {
    const ahead = await cluster.up('ahead', { ...environment, FAULT_CLOCK_SHIFT_MS: String(hourMs) })
    const behind = await cluster.up('behind', { ...environment, FAULT_CLOCK_SHIFT_MS: String(-hourMs) })
    return random.pick([
      [ahead, behind],
      [behind, ahead],
    ])
  },
  round: async (setting) => {
    const { cluster, hosts, random, isShort } = setting
    const { accepted, triggers } = await schedule(setting, count(isShort))
    const frozen = random.pick(hosts)
    await wait(random.between(0, 4000))
    frozen.signal('SIGSTOP')
    // Longer than the database lets a silent transaction keep its locks.
    await wait(12_000)
    frozen.signal('SIGCONT')
    return judgeFires(cluster, accepted, await allFired(cluster, triggers, 90_000))
  },
})
