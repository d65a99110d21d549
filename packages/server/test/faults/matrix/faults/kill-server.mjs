import { setTimeout as wait } from 'node:timers/promises'
import { createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Enough that the kill hits turns in different states: running, starting and queued. */
const sessionCount = 4

export const killServer = {
  name: 'R1',
  what: 'kill -9 of the server mid-turn, restart',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 10,
  limits: { 'old agents dead (s)': 5 },
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const accepted = []
    const ids = []
    for (let index = 0; index < sessionCount; index += 1) {
      const tag = `R1.${seed}.${index}`
      ids.push(
        await createSession(cluster, host, cluster.effects.prompt(tag, 1, `sleep ${random.between(1, 50) / 10}`)),
      )
      accepted.push({ tag, number: 1 })
    }
    await wait(random.between(0, 5000))
    const turns = await cluster.liveTurns()
    const agents = await cluster.processesOf(turns.map(({ run_marker }) => run_marker))
    await host.kill()

    const next = await cluster.start()
    const dead = await until(
      'the old agents are dead',
      () => cluster.stillRunning(agents),
      (left) => left.length === 0,
    )
    const deadSeconds = (performance.now() - next.bootedAt) / 1000
    const recoverySeconds = await recovery(cluster, turns, next.bootedAt)
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      recoverySeconds,
      figures: { 'old agents dead (s)': dead.seconds === 0 ? 0 : deadSeconds },
    }
  },
}
