import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, killIfRunning, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const killAgent = {
  name: 'R5',
  what: 'kill -9 of the agent, with a message in the queue',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 2,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const tag = `R5.${seed}`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 300'))
    const [turn] = await agentsUp(cluster, [id])
    await host.command('followUp', { id, prompt: cluster.effects.prompt(tag, 2) })
    await wait(random.between(0, 1500))
    const read = async () => (await cluster.pool.query('select * from turns where id = $1', [turn.id])).rows[0]
    killIfRunning(turn.pid)
    // An agent that was killed before it received its prompt is started again.
    const again = await until(
      'the turn ends or its next agent has the prompt',
      read,
      ({ state, pid, started_at }) => state === 'ended' || (pid !== null && pid !== turn.pid && started_at !== null),
      20_000,
    )
    if (again.answer.state !== 'ended') killIfRunning(again.answer.pid)
    const ended = await until('the turn ends', read, ({ state }) => state === 'ended', 20_000)
    await settled(cluster, [id], 20_000)
    const { failure_reason, error } = ended.answer
    const accepted = [1, 2].map((number) => ({ tag, number }))
    const verdict = judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true })
    const done = cluster.effects.lines().filter((line) => line.tag === tag && line.mark === 'end')
    return {
      ...verdict,
      recoverySeconds: again.answer.state === 'ended' ? again.seconds : ended.seconds,
      problems: [
        failure_reason !== 'crash' && `the reason is ${failure_reason}`,
        !error?.includes('SIGKILL') && `the error does not name the signal: ${error}`,
        done.length !== 1 && 'the queued message did not run',
      ].filter(Boolean),
    }
  },
}
