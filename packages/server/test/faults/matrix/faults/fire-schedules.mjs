import { setTimeout as wait } from 'node:timers/promises'
import { allFired, createTrigger, judgeFires, onceIn, withLab } from '../triggers.mjs'

const count = (isShort) => (isShort ? 4 : 10)

/** One-time schedules that are due in two seconds, one for each accepted tag. */
async function schedule(cluster, host, name, seed, size) {
  const accepted = Array.from({ length: size }, (_, index) => ({ tag: `${name}.${seed}.${index}`, number: 1 }))
  const once = await onceIn(cluster, 3)
  const triggers = []
  for (const { tag } of accepted) triggers.push(await createTrigger(host, cluster.effects.prompt(tag, 1), once))
  return { accepted, triggers }
}

export const killWhileSchedulesFire = {
  name: 'R50',
  what: 'kill -9 of the server while schedules fire, restart',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = await withLab(cluster)
    const host = await cluster.up('a', environment)
    const { accepted, triggers } = await schedule(cluster, host, 'R50', seed, count(isShort))
    await wait(random.between(0, 4000))
    await host.kill()
    await cluster.start('a', environment)
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
}

export const sameSlotOnTwoHosts = {
  name: 'R53',
  what: 'two servers fire the same schedules at the same second',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, isShort }) => {
    const environment = await withLab(cluster)
    const [host] = [await cluster.up('a', environment), await cluster.up('b', environment)]
    const { accepted, triggers } = await schedule(cluster, host, 'R53', seed, 2 * count(isShort))
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
}

const hourMs = 3_600_000

/** Slots are compared with the database's clock, so a host's own clock does not matter. */
export const frozenWithWrongClock = {
  name: 'R55',
  what: 'two servers, an hour ahead and an hour behind; one is frozen while schedules fire and comes back',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = await withLab(cluster)
    const hosts = [
      await cluster.up('ahead', { ...environment, FAULT_CLOCK_SHIFT_MS: String(hourMs) }),
      await cluster.up('behind', { ...environment, FAULT_CLOCK_SHIFT_MS: String(-hourMs) }),
    ]
    const { accepted, triggers } = await schedule(cluster, random.pick(hosts), 'R55', seed, count(isShort))
    const frozen = random.pick(hosts)
    await wait(random.between(0, 4000))
    frozen.signal('SIGSTOP')
    // Longer than the database lets a silent transaction keep its locks.
    await wait(12_000)
    frozen.signal('SIGCONT')
    return judgeFires(cluster, accepted, await allFired(cluster, triggers, 90_000))
  },
}
