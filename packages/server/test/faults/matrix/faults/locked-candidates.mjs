import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** The locks are held until the turns of the other sessions have ended, and so much longer. */
const lockedAfterMs = 2000

export const lockedCandidates = {
  name: 'R48',
  what: 'slow requests keep the rows of held sessions locked; the turns of other sessions start',
  seeds: 20,
  limitSeconds: 180,
  recoveryLimitSeconds: 60,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = await startHosts(cluster, seed)
    const tagOf = (name) => `R48.${seed}.${name}`
    const accepted = []
    const create = async (name) => {
      const tag = tagOf(name)
      accepted.push({ tag, number: 1 })
      return createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1))
    }
    const change = async (settings) => {
      const { status } = await hosts[0].patch('/api/v1/settings', settings)
      if (status !== 200) throw new Error(`the settings answered ${status}`)
    }
    const client = await cluster.pool.connect()
    const blocker = await createSession(cluster, hosts[0], 'sleep 120')
    try {
      await agentsUp(cluster, [blocker])
      await change({ spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
      const count = isShort ? 6 : 12
      const held = []
      for (let index = 0; index < count; index += 1) held.push(await create(`held${index}`))
      // The oldest are the first candidates.
      const locked = held.filter((_, index) => index === 0 || random.between(0, 2) === 0)
      await client.query('begin')
      await client.query('select from sessions where id = any($1) for update', [locked])
      await change({ spot_max_concurrent_sessions: 100 })
      const free = held.filter((id) => !locked.includes(id))
      for (let index = 0; index < 3; index += 1) free.push(await create(`late${index}`))
      const { seconds } = await settled(cluster, free, 60_000)
      await wait(lockedAfterMs)
      await client.query('rollback')
      const freed = performance.now()
      await settled(cluster, held)
      return {
        ...judge(cluster.effects, accepted, cluster.homes()),
        recoverySeconds: (performance.now() - freed) / 1000,
        figures: { 'others beside locked rows (s)': seconds },
      }
    } finally {
      await client.query('rollback')
      client.release()
      await hosts[0].command('pause', { id: blocker })
      await until(
        'the blocker rests',
        () => cluster.liveTurns(),
        ({ length }) => length === 0,
      )
    }
  },
}
