import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Both exceed a lease (15 s) plus the interval of the lease check (5 s). */
const frozenMs = 60_000
const shortlyFrozenMs = 25_000

export const frozenServer = {
  name: 'R3',
  what: 'SIGSTOP of one of two servers for longer than its leases, then SIGCONT',
  seeds: 20,
  limitSeconds: 240,
  recoveryLimitSeconds: 30,
  limits: { 'stale agents dead after waking (s)': 5 },
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = [await cluster.up('a'), await cluster.up('b')]
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 2 : 4); index += 1) {
      const tag = `R3.${seed}.${index}`
      ids.push(await createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1, 'sleep 300')))
      accepted.push({ tag, number: 1 })
    }
    const turns = await agentsUp(cluster, ids)
    const holder = random.pick(turns).lease_owner
    const frozen = hosts.find(({ hostId }) => hostId === holder)
    const other = hosts.find((host) => host !== frozen)
    const taken = turns.filter(({ lease_owner }) => lease_owner === frozen.hostId)
    const stale = await cluster.processesOf(taken.map(({ run_marker }) => run_marker))
    const frozenAt = performance.now()
    frozen.signal('SIGSTOP')
    const recoverySeconds = await recovery(cluster, taken, frozenAt)
    const untilMs = frozenAt + (isShort ? shortlyFrozenMs : frozenMs)
    await wait(Math.max(0, untilMs - performance.now()) + random.between(0, 1000))
    frozen.signal('SIGCONT')
    const dead = await until(
      'the stale agents are dead',
      () => cluster.stillRunning(stale),
      (left) => left.length === 0,
    )
    for (const { session_id } of turns.filter((turn) => !taken.includes(turn))) {
      await other.command('pause', { id: session_id })
    }
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      recoverySeconds,
      figures: { 'stale agents dead after waking (s)': dead.seconds, 'turns taken over': taken.length },
    }
  },
}
