import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, killIfRunning, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** Often enough to hit an agent before it writes its prompt; one more kill would use up its starts. */
const maxKills = 2

export const earlyAgentDeath = {
  name: 'R26',
  what: 'kill -9 of agents as soon as their processes run, with messages behind them, on one to three servers',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = await cluster.only(1 + (seed % 3))
    const accepted = []
    const sessions = await Promise.all(
      Array.from({ length: isShort ? 3 : 8 }, async (_, index) => {
        const tag = `R26.${seed}.${index}`
        const host = random.pick(hosts)
        const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1))
        for (const number of [2, 3]) await host.command('enqueue', { id, prompt: cluster.effects.prompt(tag, number) })
        for (const number of [1, 2, 3]) accepted.push({ tag, number })
        return { id, kills: random.between(1, maxKills + 1), delayMs: random.between(0, 120) }
      }),
    )
    let unreceived = 0
    await Promise.all(
      sessions.map(async ({ id, kills, delayMs }) => {
        const killed = new Set()
        while (killed.size < kills) {
          const [turn] = await agentsUp(cluster, [id]).catch(() => [])
          if (!turn) return
          if (killed.has(turn.pid)) continue
          await wait(delayMs)
          if (turn.started_at === null) unreceived += 1
          killIfRunning(turn.pid)
          killed.add(turn.pid)
        }
      }),
    )
    const ids = sessions.map(({ id }) => id)
    await settled(cluster, ids)
    const { rows } = await cluster.pool.query("select id from sessions where id = any($1) and status = 'failed'", [ids])
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      figures: { 'agents killed before a receipt was seen': unreceived },
      problems: rows.length > 0 ? [`${rows.length} sessions failed`] : [],
    }
  },
}
