import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, killIfRunning, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** The processes around an agent that confine it, and the agent itself: whichever dies, the others end with it. */
export const killInBox = {
  name: 'R41',
  what: 'kill -9 of any process of a confined agent, with a message in the queue',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 2,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const tag = `R41.${seed}`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 300'))
    const [turn] = await agentsUp(cluster, [id])
    await host.command('followUp', { id, prompt: cluster.effects.prompt(tag, 2) })
    const marksOf = (mark) => cluster.effects.lines().filter((line) => line.tag === tag && line.mark === mark)
    await until(
      'the agent works',
      () => marksOf('begin'),
      ({ length }) => length === 1,
    )
    await wait(random.between(0, 500))
    const box = await cluster.processesOf([turn.run_marker])
    killIfRunning(random.pick(box).pid)
    const read = async () => (await cluster.pool.query('select * from turns where id = $1', [turn.id])).rows[0]
    const ended = await until('the turn ends', read, ({ state }) => state === 'ended', 20_000)
    const left = await cluster.processesOf([turn.run_marker])
    await settled(cluster, [id], 20_000)
    const accepted = [1, 2].map((number) => ({ tag, number }))
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      recoverySeconds: ended.seconds,
      figures: { 'processes in the box': box.length },
      problems: [
        left.length > 0 && `${left.length} processes are left`,
        ended.answer.failure_reason !== 'crash' && `the reason is ${ended.answer.failure_reason}`,
        !ended.answer.error?.includes('SIGKILL') && `the error does not name the signal: ${ended.answer.error}`,
        marksOf('end').length !== 1 && 'the queued message did not run',
      ].filter(Boolean),
    }
  },
}
