import { atWork, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const stubbornAgent = {
  name: 'R6',
  what: 'an agent that hears neither a word nor SIGTERM',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 11,
  round: async ({ yard, seed }) => {
    const host = await yard.up()
    const tag = `R6.${seed}`
    const id = await createSession(
      yard,
      host,
      yard.effects.prompt(tag, 1, 'run trap "" TERM INT HUP; sleep 300 & wait'),
    )
    const [turn] = await atWork(yard, [id])
    const begun = () => yard.effects.lines().some((line) => line.tag === tag)
    await until('it has begun', async () => begun(), Boolean)
    const agents = await yard.processesOf([turn.run_marker])
    // A stopped process gets no signal but the last one.
    process.kill(turn.pid, 'SIGSTOP')
    await host.order('pause', { id })
    const dead = await until(
      'it is dead',
      () => yard.stillRunning(agents),
      (left) => left.length === 0,
    )
    await settled(yard, [id])
    return {
      ...judge(yard.effects, [{ tag, number: 1 }], yard.homes(), { mayBeCut: true }),
      recoverySeconds: dead.seconds,
    }
  },
}
