import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** Enough that both hosts always compete for a turn, few enough for a small machine. */
const atOnce = 8

export const twoServers = {
  name: 'R15',
  what: 'two servers claim the turns of 1,000 sessions',
  seeds: 1,
  limitSeconds: 1200,
  round: async ({ cluster, seed, isShort }) => {
    const hosts = [await cluster.up('a'), await cluster.up('b')]
    const count = isShort ? 20 : 1000
    const accepted = []
    const ids = []
    const work = async () => {
      while (accepted.length < count) {
        const tag = `R15.${seed}.${accepted.length}`
        accepted.push({ tag, number: 1 })
        const id = await createSession(cluster, hosts[accepted.length % 2], cluster.effects.prompt(tag, 1))
        ids.push(id)
        await settled(cluster, [id])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const { rows } = await cluster.pool.query(
      `select count(*)::int as turns, count(distinct session_id)::int as sessions
       from turns where session_id = any($1) and outcome = 'completed'`,
      [ids],
    )
    const { turns, sessions } = rows[0]
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: turns === count && sessions === count ? [] : [`${turns} turns of ${sessions} sessions`],
    }
  },
}
