import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, killIfRunning, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** How long callers may see errors. */
const outageLimitSeconds = 5

export const killBackend = {
  name: 'R8',
  what: 'kill -9 of one PostgreSQL backend mid-turn, under requests',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: outageLimitSeconds,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const accepted = [0, 1, 2].map((index) => ({ tag: `R8.${seed}.${index}`, number: 1 }))
    const ids = []
    for (const { tag } of accepted)
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 2')))
    const turns = await agentsUp(cluster, ids)
    const { rows } = await cluster.pool.query(
      `select pid from pg_stat_activity where application_name like 'yardmaster%' order by pid`,
    )
    const calls = requestsUntilStable(cluster, host, `R8.${seed}`)
    await wait(random.between(0, 500))
    killIfRunning(random.pick(rows).pid)
    const { statuses, created, outageSeconds } = await calls
    const marksBefore = turns.map(({ run_marker }) => run_marker)
    await settled(cluster, [...ids, ...created.map(({ id }) => id)])
    const { rows: ran } = await cluster.pool.query('select run_marker from turns where session_id = any($1)', [ids])
    return {
      ...judge(cluster.effects, [...accepted, ...created], cluster.homes()),
      recoverySeconds: outageSeconds,
      problems: [
        statuses.some((status) => ![200, 201, 503].includes(status)) && `answers were ${[...new Set(statuses)]}`,
        !ran.every(({ run_marker }) => marksBefore.includes(run_marker)) && 'a turn was restarted',
      ].filter(Boolean),
    }
  },
}

/** Sends reads and creates one after another until they have succeeded for a while. */
async function requestsUntilStable(cluster, host, tag) {
  const statuses = []
  const created = []
  let firstBad
  let lastBad = performance.now()
  const started = performance.now()
  for (let number = 1; ; number += 1) {
    const isCreate = number % 10 === 0 && created.length < 5
    const own = { tag: `${tag}.late${number}`, number: 1 }
    const prompt = cluster.effects.prompt(own.tag, 1)
    const answer = isCreate
      ? await host.post('/api/v1/sessions', { git_root: cluster.gitRoot, agent_runtime: 'demo', prompt })
      : await host.get('/api/v1/sessions?per_page=1')
    statuses.push(answer.status)
    if (answer.status === 201) created.push({ ...own, id: answer.body.session.id })
    const now = performance.now()
    if (answer.status >= 400 || answer.status === 0) {
      firstBad ??= now
      lastBad = now
    }
    // Stops 2 s after the last error, or after 3 s without any.
    if (now - lastBad > 2000 && now - started > 3000) break
    if (now - started > 30_000) break
    await wait(20)
  }
  return { statuses, created, outageSeconds: firstBad === undefined ? 0 : (lastBad - firstBad) / 1000 }
}
