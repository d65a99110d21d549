import { randomUUID } from 'node:crypto'
import { settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const callers = 200

export const idempotencyKey = {
  name: 'R16',
  what: `${callers} creates with one idempotency key at once`,
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, isShort }) => {
    const host = await cluster.up()
    const tag = `R16.${seed}`
    const body = {
      git_root: cluster.gitRoot,
      agent_runtime: 'demo',
      prompt: cluster.effects.prompt(tag, 1),
      idempotency_key: randomUUID(),
    }
    const answers = await Promise.all(
      Array.from({ length: isShort ? 40 : callers }, () => host.post('/api/v1/sessions', body)),
    )
    const ids = new Set(answers.map((answer) => answer.body?.session?.id))
    await settled(cluster, [...ids])
    const { rows } = await cluster.pool.query('select from turns where session_id = any($1)', [[...ids]])
    const created = answers.filter(({ status }) => status === 201).length
    const replayed = answers.filter(
      ({ status, body: { idempotent_replay } }) => status === 200 && idempotent_replay,
    ).length
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      problems: [
        ids.size !== 1 && `${ids.size} sessions`,
        rows.length !== 1 && `${rows.length} turns`,
        created !== 1 && `${created} got 201`,
        created + replayed !== answers.length && `${answers.length - created - replayed} got another status`,
      ].filter(Boolean),
    }
  },
}
