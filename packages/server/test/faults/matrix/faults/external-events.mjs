import { setTimeout as wait } from 'node:timers/promises'
import { openPlatforms } from '../platforms.mjs'

/** Events of every kind in a round. */
const eventCount = 9

export const seenTwice = {
  name: 'R56',
  what: 'webhooks and pollers of two hosts see the same chat and forge events at once',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withPlatforms('R56', setting, async (platforms, { random }) => {
      const hosts = await platforms.up(2)
      await platforms.arm(hosts[0])
      for (let index = 0; index < eventCount; index += 1) platforms.happen(platforms.kinds[index % 3])
      await Promise.all([
        ...hosts.map(async (host) => {
          await wait(random.between(0, 300))
          await platforms.poll(host)
        }),
        // Each delivery arrives twice: the second attempt goes to either host.
        ...platforms.webhooks.flatMap((deliver) => [
          delayed(random.between(0, 300), () => deliver(hosts[0])),
          delayed(random.between(0, 300), () => deliver(random.pick(hosts))),
        ]),
      ])
      return hosts[0]
    }),
}

export const killedReceiver = {
  name: 'R57',
  what: 'kill -9 while chat and forge webhooks arrive and fire; unanswered ones are sent again',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withPlatforms('R57', setting, async (platforms, { random }) => {
      const [host] = await platforms.up()
      await platforms.arm(host)
      for (let index = 0; index < eventCount; index += 1) platforms.happen(platforms.kinds[index % 3])
      const killAfterMs = random.between(0, 1500)
      const [answers] = await Promise.all([
        Promise.all(platforms.webhooks.map((deliver) => delayed(random.between(0, 1000), () => deliver(host)))),
        delayed(killAfterMs, () => host.kill()),
      ])
      const [next] = await platforms.up()
      for (const [index, status] of answers.entries()) if (status !== 200) await platforms.webhooks[index](next)
      return next
    }),
}

export const killedPoller = {
  name: 'R58',
  what: 'kill -9 while a poll fires chat and forge events',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withPlatforms('R58', setting, async (platforms, { random }) => {
      const [host] = await platforms.up()
      await platforms.arm(host)
      for (let index = 0; index < eventCount; index += 1) platforms.happen(platforms.kinds[index % 3])
      await Promise.all([platforms.poll(host), delayed(random.between(0, 1500), () => host.kill())])
      const [next] = await platforms.up()
      return next
    }),
}

export const labelsAddedAgain = {
  name: 'R61',
  what: 'labels are removed and added again between two polls, and the second poll is killed with kill -9',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withPlatforms('R61', setting, async (platforms, { random }) => {
      const [host] = await platforms.up()
      await platforms.arm(host)
      for (let index = 0; index < 4; index += 1) platforms.happen('label')
      await platforms.poll(host)
      platforms.labelAgain()
      await Promise.all([platforms.poll(host), delayed(random.between(0, 1500), () => host.kill())])
      const [next] = await platforms.up()
      return next
    }),
}

export const killedInBurst = {
  name: 'R62',
  what: 'kill -9 while a burst of webhooks shares transactions; unanswered ones are sent again',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withPlatforms('R62', setting, async (platforms, { random }) => {
      const [host] = await platforms.up()
      await platforms.arm(host)
      for (let index = 0; index < 2 * eventCount; index += 1) platforms.happen(platforms.kinds[index % 3])
      const [answers] = await Promise.all([
        Promise.all(platforms.webhooks.map((deliver) => deliver(host))),
        delayed(random.between(0, 150), () => host.kill()),
      ])
      const [next] = await platforms.up()
      const unanswered = platforms.webhooks.filter((_deliver, index) => answers[index] !== 200)
      await Promise.all(unanswered.map((deliver) => deliver(next)))
      return next
    }),
}

async function delayed(ms, work) {
  await wait(ms)
  return work()
}

async function withPlatforms(name, { cluster, seed, random }, work) {
  const platforms = await openPlatforms(cluster, `${name}.${seed}`)
  try {
    return await platforms.judge(await work(platforms, { random }))
  } finally {
    await platforms.close()
  }
}
