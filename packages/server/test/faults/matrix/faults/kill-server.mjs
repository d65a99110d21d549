import { setTimeout as wait } from 'node:timers/promises'
import { createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Some are in the midst of their turn, some just begin, some wait: a kill meets them at every step. */
const sessionCount = 4

export const killServer = {
  name: 'R1',
  what: 'kill -9 of the server mid-turn, restart',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 10,
  limits: { 'old agents dead (s)': 5 },
  round: async ({ yard, seed, random }) => {
    const host = await yard.up()
    const accepted = []
    const ids = []
    for (let index = 0; index < sessionCount; index += 1) {
      const tag = `R1.${seed}.${index}`
      ids.push(await createSession(yard, host, yard.effects.prompt(tag, 1, `sleep ${random.between(1, 50) / 10}`)))
      accepted.push({ tag, number: 1 })
    }
    await wait(random.between(0, 5000))
    const turns = await yard.liveTurns()
    const agents = await yard.processesOf(turns.map(({ run_marker }) => run_marker))
    await host.kill()

    const next = await yard.start()
    const dead = await until(
      'old agents are dead',
      () => yard.stillRunning(agents),
      (left) => left.length === 0,
    )
    const deadSeconds = (performance.now() - next.bootedAt) / 1000
    const recoverySeconds = await recovery(yard, turns, next.bootedAt)
    await settled(yard, ids)
    return {
      ...judge(yard.effects, accepted, yard.homes()),
      recoverySeconds,
      figures: { 'old agents dead (s)': dead.seconds === 0 ? 0 : deadSeconds },
    }
  },
}
