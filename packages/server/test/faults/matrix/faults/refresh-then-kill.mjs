import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const sessionCount = 4

export const refreshThenKill = {
  name: 'R34',
  what: 'refreshes from the first moment of a turn, then kill -9 or SIGTERM of the server',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random }) => {
    const hosts = await startHosts(cluster, seed)
    const accepted = []
    const ids = []
    let isOver = false
    const refresh = async (id) => {
      while (!isOver) {
        for (const host of hosts) await host.post(`/api/v1/sessions/${id}/refresh`)
        await wait(5)
      }
    }
    const refreshing = []
    for (let index = 0; index < sessionCount; index += 1) {
      const tag = `R34.${seed}.${index}`
      const prompt = cluster.effects.prompt(tag, 1, `sleep ${random.between(1, 30) / 10}`)
      const id = await createSession(cluster, random.pick(hosts), prompt)
      ids.push(id)
      accepted.push({ tag, number: 1 })
      refreshing.push(refresh(id))
    }
    await wait(random.between(0, 4000))
    const victim = random.pick(hosts)
    await (seed % 2 === 0 ? victim.stop() : victim.kill())
    isOver = true
    await Promise.all(refreshing)
    await startHosts(cluster, seed)
    await settled(cluster, ids)
    return judge(cluster.effects, accepted, cluster.homes())
  },
}
