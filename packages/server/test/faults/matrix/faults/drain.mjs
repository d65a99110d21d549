import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** The grace period of an agent (5 s) plus 5 s, as in the reliability target. */
const exitLimitSeconds = 10

export const drain = {
  name: 'R4',
  what: 'SIGTERM with 10 live turns',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 10,
  limits: { 'exit (s)': exitLimitSeconds },
  round: async ({ cluster, seed, random, isShort }) => {
    const host = await cluster.up()
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 4 : 10); index += 1) {
      const tag = `R4.${seed}.${index}`
      const work = random.pick(['sleep 300', 'run sleep 300', 'run trap "" TERM; sleep 300 & wait'])
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, work)))
      accepted.push({ tag, number: 1 })
    }
    const turns = await agentsUp(cluster, ids)
    await wait(random.between(0, 500))
    const agents = await cluster.processesOf(turns.map(({ run_marker }) => run_marker))
    const signalledAt = performance.now()
    const late = lateCreates(cluster, host, seed)
    const { code } = await host.stop('SIGTERM')
    const exitSeconds = (performance.now() - signalledAt) / 1000
    const left = await cluster.stillRunning(agents)
    const { rows } = await cluster.pool.query(
      `select (select count(*)::int from turns where state = 'executing') as held,
         (select count(*)::int from sessions where status = 'running') as running`,
    )
    const lateIds = await late
    const next = await cluster.start()
    const recoverySeconds = await recovery(cluster, turns, next.bootedAt)
    await settled(cluster, [...ids, ...lateIds.map(({ id }) => id)])
    return {
      ...judge(cluster.effects, [...accepted, ...lateIds], cluster.homes()),
      recoverySeconds,
      figures: { 'exit (s)': exitSeconds },
      problems: [
        code !== 0 && `the host exited with ${code}`,
        left.length > 0 && `${left.length} processes are still running`,
        rows[0].held > 0 && `${rows[0].held} turns still have a lease`,
        rows[0].running > 0 && `${rows[0].running} sessions are still "running"`,
      ].filter(Boolean),
    }
  },
}

/** Creates sessions while the host drains. An accepted one must run after the restart. */
async function lateCreates(cluster, host, seed) {
  const accepted = []
  for (let index = 0; index < 5; index += 1) {
    const tag = `R4.${seed}.late${index}`
    const prompt = cluster.effects.prompt(tag, 1)
    const body = { git_root: cluster.gitRoot, agent_runtime: 'demo', prompt }
    const { status, body: answer } = await host.post('/api/v1/sessions', body)
    if (status === 201) accepted.push({ tag, number: 1, id: answer.session.id })
    await wait(20)
  }
  return accepted
}
