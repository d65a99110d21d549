import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { failWrites } from '../failing-writes.mjs'
import { judgeStored } from '../stored.mjs'

export const failingRecovery = {
  name: 'R45',
  what: 'a server dies, and the recovery or takeover of its turns fails for a while',
  seeds: 20,
  limitSeconds: 180,
  recoveryLimitSeconds: 60,
  round: async ({ cluster, seed, random }) => {
    const hosts = await startHosts(cluster, seed)
    const accepted = []
    const ids = []
    for (let index = 0; index < 4; index += 1) {
      const tag = `R45.${seed}.${index}`
      ids.push(await createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1, 'say one', 'sleep 300')))
      await random.pick(hosts).command('enqueue', { id: ids.at(-1), prompt: cluster.effects.prompt(tag, 2) })
      for (const number of [1, 2]) accepted.push({ tag, number })
    }
    const turns = await agentsUp(cluster, ids)
    const holder = random.pick(turns).lease_owner
    const victim = hosts.find(({ hostId }) => hostId === holder)
    const held = turns.filter(({ lease_owner }) => lease_owner === victim.hostId)
    // An ordinary error, which nothing retries by itself.
    const fault = await failWrites(cluster, {
      tables: ['turns'],
      state: 'P0001',
      on: 'update',
      when: `old.state = 'executing' and new.state <> 'executing'`,
    })
    await victim.kill()
    const isAlone = hosts.length === 1
    if (isAlone) await cluster.start('a')
    // Others take over when the leases end, after 15 s.
    await wait((isAlone ? 0 : 20_000) + random.between(3000, 12_000))
    const strikes = await fault.end()
    const endedAt = performance.now()
    const others = turns.filter((turn) => !held.includes(turn))
    for (const { session_id } of others) await cluster.hosts()[0].command('pause', { id: session_id })
    for (const { session_id } of others)
      await cluster.hosts()[0].command('followUp', { id: session_id, prompt: 'say go on' })
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      recoverySeconds: (performance.now() - endedAt) / 1000,
      figures: { 'recoveries that failed': strikes },
      problems: [strikes === 0 && 'no recovery failed', ...(await judgeStored(cluster, ids, accepted))].filter(Boolean),
    }
  },
}
