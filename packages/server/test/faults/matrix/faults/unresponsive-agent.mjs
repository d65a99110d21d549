import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const unresponsiveAgent = {
  name: 'R6',
  what: 'an agent ignores its protocol and SIGTERM',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 11,
  round: async ({ cluster, seed }) => {
    const host = await cluster.up()
    const tag = `R6.${seed}`
    const id = await createSession(
      cluster,
      host,
      cluster.effects.prompt(tag, 1, 'run trap "" TERM INT HUP; sleep 300 & wait'),
    )
    const [turn] = await agentsUp(cluster, [id])
    const begun = () => cluster.effects.lines().some((line) => line.tag === tag)
    await until('the turn has begun', async () => begun(), Boolean)
    const agents = await cluster.processesOf([turn.run_marker])
    // A stopped process reacts only to SIGKILL.
    process.kill(turn.pid, 'SIGSTOP')
    await host.command('pause', { id })
    const dead = await until(
      'the agent is dead',
      () => cluster.stillRunning(agents),
      (left) => left.length === 0,
    )
    await settled(cluster, [id])
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes(), { mayBeInterrupted: true }),
      recoverySeconds: dead.seconds,
    }
  },
}
