import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { judgeStored } from '../stored.mjs'
import { until } from '../until.mjs'

/** Longer than a lease (15 s) plus the interval of the lease check (5 s). */
const frozenMs = [25_000, 40_000]

/** Lines for longer than the freeze, so that the agents of the frozen server write all the time. */
const lines = Array.from({ length: 400 }, (_, line) => [`say line ${line}`, 'sleep 0.2']).flat()

export const frozenWriter = {
  name: 'R27',
  what: 'SIGSTOP of one of one to three servers while its agents write, with messages behind, then SIGCONT',
  seeds: 20,
  limitSeconds: 300,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = await cluster.only(1 + (seed % 3))
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 2 : 4); index += 1) {
      const tag = `R27.${seed}.${index}`
      const host = random.pick(hosts)
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, ...lines)))
      for (const number of [1, 2, 3]) accepted.push({ tag, number })
      for (const number of [2, 3])
        await host.command('enqueue', { id: ids.at(-1), prompt: cluster.effects.prompt(tag, number) })
    }
    const turns = await agentsUp(cluster, ids)
    await wait(random.between(0, 3000))
    const frozen = hosts.find(({ hostId }) => hostId === random.pick(turns).lease_owner) ?? hosts[0]
    frozen.signal('SIGSTOP')
    await wait(isShort ? frozenMs[0] : random.between(...frozenMs))
    frozen.signal('SIGCONT')
    // The turns of other hosts, and of the only host, still run; the matrix interrupts them.
    await wait(5000)
    for (const { id, session_id } of turns) {
      const { rows } = await cluster.pool.query("select from turns where id = $1 and state = 'executing'", [id])
      if (rows.length > 0) await frozen.command('pause', { id: session_id })
    }
    await until(
      'no agent of the first turns runs',
      () => cluster.processesOf(turns.map(({ run_marker }) => run_marker)),
      (left) => left.length === 0,
    )
    // A follow-up to a paused session delivers what waits in its queue first.
    for (const [index, id] of ids.entries()) {
      const tag = `R27.${seed}.${index}`
      await followUpWhenPossible(frozen, id, cluster.effects.prompt(tag, 4))
      accepted.push({ tag, number: 4 })
    }
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      problems: await judgeStored(cluster, ids, accepted),
    }
  },
}

function followUpWhenPossible(host, id, prompt) {
  return until(
    'the follow-up is accepted',
    () => host.command('followUp', { id, prompt }),
    ({ answer }) => answer !== undefined,
    30_000,
  )
}
