import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { failWrites } from '../failing-writes.mjs'
import { judgeStored } from '../stored.mjs'

/** A transaction with six writes is aborted in three of four attempts. */
const oneInFive = 'random() < 0.2'

export const conflicts = {
  name: 'R47',
  what: 'deadlocks and serialisation failures abort transactions that accept, end and fork',
  seeds: 20,
  limitSeconds: 180,
  recoveryLimitSeconds: 60,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = await startHosts(cluster, seed)
    const source = await createSession(cluster, random.pick(hosts), 'write kept.txt kept')
    await settled(cluster, [source])
    const fault = await failWrites(cluster, {
      tables: ['turns', 'enqueued_messages', 'sessions', 'events'],
      state: random.pick(['40P01', '40001']),
      when: oneInFive,
    })
    const answers = []
    const accepted = []
    const ids = []
    const forks = []
    const ask = async (path, body) => {
      const answer = await random.pick(hosts).post(path, body)
      answers.push(answer.status)
      return answer
    }
    const converse = async (index) => {
      const tag = `R47.${seed}.${index}`
      const prompt = (number) => cluster.effects.prompt(tag, number)
      const body = { git_root: cluster.gitRoot, agent_runtime: 'demo', prompt: prompt(1) }
      const created = await repeat(() => ask('/api/v1/sessions', body))
      const { id } = created.body.session
      ids.push(id)
      accepted.push({ tag, number: 1 })
      for (const number of [2, 3]) {
        await repeat(() => ask(`/api/v1/sessions/${id}/follow_up`, { prompt: prompt(number) }))
        accepted.push({ tag, number })
      }
    }
    const fork = async () => {
      const answer = await repeat(() => ask(`/api/v1/sessions/${source}/fork`, { message_index: 0 }))
      forks.push(answer.body.session.id)
    }
    const count = isShort ? 3 : 6
    await Promise.all(Array.from({ length: count }, (_, index) => Promise.all([converse(index), fork()])))
    const strikes = await fault.end()
    const endedAt = performance.now()
    await settled(cluster, ids)
    const faulty = answers.filter((status) => status === 0 || (status >= 500 && status !== 503))
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      recoverySeconds: (performance.now() - endedAt) / 1000,
      figures: { 'aborted writes': strikes, 'answers of 503': answers.filter((status) => status === 503).length },
      problems: [
        faulty.length > 0 && `${faulty.length} answers were ${[...new Set(faulty)]}`,
        strikes === 0 && 'nothing was aborted',
        ...(await judgeForks(cluster, source, forks)),
        ...(await judgeStored(cluster, ids, accepted)),
      ].filter(Boolean),
    }
  },
}

/** A 503 means that nothing was written. */
async function repeat(ask) {
  for (;;) {
    const answer = await ask()
    if (answer.status < 300) return answer
    if (answer.status !== 503) throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

/** One fork for each answer, with all its files. */
async function judgeForks(cluster, source, forks) {
  const { rows } = await cluster.pool.query(
    `select id::int from sessions where metadata ->> 'forked_from_session_id' = $1`,
    [String(source)],
  )
  const whole = await Promise.all(
    forks.map((id) =>
      Promise.any(cluster.homes().map((home) => access(join(home, 'clones', `session-${id}`, 'kept.txt')))).then(
        () => true,
        () => false,
      ),
    ),
  )
  return [
    rows.length !== forks.length && `${rows.length} forks for ${forks.length} answers`,
    whole.includes(false) && 'a fork has lost a file',
  ]
}
