import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const callers = 50

export const interruptStorm = {
  name: 'R19',
  what: 'the same interrupt, 50 times at once',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 10,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const tag = `R19.${seed}`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 0, 'sleep 300'))
    await agentsUp(cluster, [id])
    const queued = []
    for (const number of [1, 2, 3]) {
      queued.push((await host.command('followUp', { id, prompt: cluster.effects.prompt(tag, number) })).answer.message)
    }
    await wait(random.between(0, 1000))
    const chosen = random.between(0, 3)
    const sentAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: callers }, () => host.command('interrupt', { id, messageId: queued[chosen].id })),
    )
    await settled(cluster, [id], 30_000)
    const recoverySeconds = (performance.now() - sentAt) / 1000
    const order = [chosen + 1, ...[1, 2, 3].filter((number) => number !== chosen + 1)]
    // The interrupted prompt is left out: if its agent had not begun, it runs after the interrupting message.
    const verdict = judge(
      cluster.effects,
      order.map((number) => ({ tag, number })),
      cluster.homes(),
    )
    const { rows } = await cluster.pool.query(
      `select count(*)::int as interrupted from turns where session_id = $1 and outcome = 'interrupted'`,
      [id],
    )
    return {
      ...verdict,
      recoverySeconds,
      problems: [
        answers.filter(({ answer }) => answer).length !== 1 && 'not exactly one interrupt succeeded',
        answers.filter(({ refusal }) => refusal === 'message_taken').length !== callers - 1 &&
          'the other interrupts were not rejected as message_taken',
        rows[0].interrupted !== 1 && `${rows[0].interrupted} turns were interrupted`,
      ].filter(Boolean),
    }
  },
}
