import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, endQuietly, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const killAgent = {
  name: 'R5',
  what: 'kill -9 of the agent, with a message in the queue',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 2,
  round: async ({ yard, seed, random }) => {
    const host = await yard.up()
    const tag = `R5.${seed}`
    const id = await createSession(yard, host, yard.effects.prompt(tag, 1, 'sleep 300'))
    const [turn] = await atWork(yard, [id])
    await host.order('followUp', { id, prompt: yard.effects.prompt(tag, 2) })
    await wait(random.between(0, 1500))
    endQuietly(turn.pid)
    const ended = await until(
      'the turn ends',
      async () => (await yard.pool.query('select * from turns where id = $1', [turn.id])).rows[0],
      ({ state }) => state === 'ended',
      20_000,
    )
    await settled(yard, [id], 20_000)
    const { failure_reason, error, started_at } = ended.answer
    // Killed before it had its prompt, an agent has nothing to show; a session that failed says so.
    const first = started_at === null ? [] : [{ tag, number: 1 }]
    const verdict = judge(yard.effects, [...first, { tag, number: 2 }], yard.homes(), { mayBeCut: true })
    const done = yard.effects.lines().filter((line) => line.tag === tag && line.mark === 'end')
    return {
      ...verdict,
      recoverySeconds: ended.seconds,
      problems: [
        failure_reason !== 'crash' && `the reason is ${failure_reason}`,
        !error?.includes('SIGKILL') && `the reason does not tell how: ${error}`,
        done.length !== 1 && 'the queue did not go on',
      ].filter(Boolean),
    }
  },
}
