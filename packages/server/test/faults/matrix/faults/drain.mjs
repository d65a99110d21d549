import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** What an agent is given to stop when asked (5 s), and what the sheet grants us on top. */
const exitLimitSeconds = 10

export const drain = {
  name: 'R4',
  what: 'SIGTERM with 10 live turns',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 10,
  limits: { 'exit (s)': exitLimitSeconds },
  round: async ({ yard, seed, random, isShort }) => {
    const host = await yard.up()
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 4 : 10); index += 1) {
      const tag = `R4.${seed}.${index}`
      const work = random.pick(['sleep 300', 'run sleep 300', 'run trap "" TERM; sleep 300 & wait'])
      ids.push(await createSession(yard, host, yard.effects.prompt(tag, 1, work)))
      accepted.push({ tag, number: 1 })
    }
    const turns = await atWork(yard, ids)
    await wait(random.between(0, 500))
    const agents = await yard.processesOf(turns.map(({ run_marker }) => run_marker))
    const told = performance.now()
    const late = lateCreates(yard, host, seed)
    const { code } = await host.stop('SIGTERM')
    const exitSeconds = (performance.now() - told) / 1000
    const left = await yard.stillRunning(agents)
    const { rows } = await yard.pool.query(
      `select (select count(*)::int from turns where state = 'executing') as held,
         (select count(*)::int from sessions where status = 'running') as running`,
    )
    const lateIds = await late
    const next = await yard.start()
    const recoverySeconds = await recovery(yard, turns, next.bootedAt)
    await settled(yard, [...ids, ...lateIds.map(({ id }) => id)])
    return {
      ...judge(yard.effects, [...accepted, ...lateIds], yard.homes()),
      recoverySeconds,
      figures: { 'exit (s)': exitSeconds },
      problems: [
        code !== 0 && `it ended with ${code}`,
        left.length > 0 && `${left.length} processes were left`,
        rows[0].held > 0 && `${rows[0].held} turns were left held`,
        rows[0].running > 0 && `${rows[0].running} sessions were left running`,
      ].filter(Boolean),
    }
  },
}

/** What is still accepted while it drains is not lost either, and is not begun by a host that is leaving. */
async function lateCreates(yard, host, seed) {
  const accepted = []
  for (let index = 0; index < 5; index += 1) {
    const tag = `R4.${seed}.late${index}`
    const prompt = yard.effects.prompt(tag, 1)
    const body = { git_root: yard.gitRoot, agent_runtime: 'demo', prompt }
    const { status, body: answer } = await host.post('/api/v1/sessions', body)
    if (status === 201) accepted.push({ tag, number: 1, id: answer.session.id })
    await wait(20)
  }
  return accepted
}
