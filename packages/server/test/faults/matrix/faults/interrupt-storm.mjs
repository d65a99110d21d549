import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const callers = 50

export const interruptStorm = {
  name: 'R19',
  what: 'the same interrupt, 50 times at once',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 10,
  round: async ({ yard, seed, random }) => {
    const host = await yard.up()
    const tag = `R19.${seed}`
    const id = await createSession(yard, host, yard.effects.prompt(tag, 0, 'sleep 300'))
    await atWork(yard, [id])
    const queued = []
    for (const number of [1, 2, 3]) {
      queued.push((await host.order('followUp', { id, prompt: yard.effects.prompt(tag, number) })).answer.message)
    }
    await wait(random.between(0, 1000))
    const chosen = random.between(0, 3)
    const told = performance.now()
    const answers = await Promise.all(
      Array.from({ length: callers }, () => host.order('interrupt', { id, messageId: queued[chosen].id })),
    )
    await settled(yard, [id], 30_000)
    const recoverySeconds = (performance.now() - told) / 1000
    const order = [chosen + 1, ...[1, 2, 3].filter((number) => number !== chosen + 1)]
    // The interrupted prompt is judged apart: when its agent had not begun, it goes behind the one that interrupted.
    const verdict = judge(
      yard.effects,
      order.map((number) => ({ tag, number })),
      yard.homes(),
    )
    const { rows } = await yard.pool.query(
      `select count(*)::int as interrupted from turns where session_id = $1 and outcome = 'interrupted'`,
      [id],
    )
    return {
      ...verdict,
      recoverySeconds,
      problems: [
        answers.filter(({ answer }) => answer).length !== 1 && 'not exactly one was obeyed',
        answers.filter(({ refusal }) => refusal === 'message_taken').length !== callers - 1 && 'others were not told',
        rows[0].interrupted !== 1 && `${rows[0].interrupted} turns were ended`,
      ].filter(Boolean),
    }
  },
}
