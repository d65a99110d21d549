import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { failWrites } from '../failing-writes.mjs'
import { judgeStored } from '../stored.mjs'
import { until } from '../until.mjs'

/** Longer than the first five attempts of a job, which end after 85 s. */
const outageMs = 95_000
const shortOutageMs = 20_000

export const longOutageAtRest = {
  name: 'R46',
  what: 'messages wait for sessions at rest through a long outage of the database; a server dies in it',
  seeds: 20,
  limitSeconds: 300,
  recoveryLimitSeconds: 60,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = await startHosts(cluster, seed)
    const tags = Array.from({ length: 4 }, (_, index) => `R46.${seed}.${index}`)
    const accepted = tags.flatMap((tag) => [1, 2, 3].map((number) => ({ tag, number })))
    const ids = []
    for (const tag of tags) ids.push(await createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1)))
    await settled(cluster, ids)
    for (const [index, id] of ids.entries())
      for (const number of [2, 3])
        await random.pick(hosts).command('enqueue', { id, prompt: cluster.effects.prompt(tags[index], number) })
    const fault = await failWrites(cluster, { tables: ['turns'], state: random.pick(['53100', '53200', '58030']) })
    const lengthMs = isShort ? shortOutageMs : outageMs
    // Their jobs start ten seconds after the messages.
    const untilKillMs = random.between(11_000, lengthMs - 5000)
    await wait(untilKillMs)
    const victim = random.pick(hosts)
    await victim.kill()
    if (hosts.length === 1) await cluster.start('a')
    await wait(lengthMs - untilKillMs)
    const strikes = await fault.end()
    const endedAt = performance.now()
    await until(
      'every message is delivered',
      async () => cluster.effects.lines().filter(({ tag, mark }) => tags.includes(tag) && mark === 'end'),
      ({ length }) => length >= accepted.length,
      90_000,
    )
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      recoverySeconds: (performance.now() - endedAt) / 1000,
      figures: { 'writes that failed': strikes },
      problems: [strikes === 0 && 'no write failed', ...(await judgeStored(cluster, ids, accepted))].filter(Boolean),
    }
  },
}
