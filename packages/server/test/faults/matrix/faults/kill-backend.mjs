import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, endQuietly, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** As long as a caller may see that the database is away. */
const outageLimitSeconds = 5

export const killBackend = {
  name: 'R8',
  what: 'kill -9 of one PostgreSQL backend mid-turn, under requests',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: outageLimitSeconds,
  round: async ({ yard, seed, random }) => {
    const host = await yard.up()
    const accepted = [0, 1, 2].map((index) => ({ tag: `R8.${seed}.${index}`, number: 1 }))
    const ids = []
    for (const { tag } of accepted) ids.push(await createSession(yard, host, yard.effects.prompt(tag, 1, 'sleep 2')))
    const turns = await atWork(yard, ids)
    const { rows } = await yard.pool.query(
      `select pid from pg_stat_activity where application_name like 'yardmaster%' order by pid`,
    )
    const calls = requestsUntilWell(yard, host, `R8.${seed}`)
    await wait(random.between(0, 500))
    endQuietly(random.pick(rows).pid)
    const { statuses, created, outageSeconds } = await calls
    const marksBefore = turns.map(({ run_marker }) => run_marker)
    await settled(yard, [...ids, ...created.map(({ id }) => id)])
    const { rows: ran } = await yard.pool.query('select run_marker from turns where session_id = any($1)', [ids])
    return {
      ...judge(yard.effects, [...accepted, ...created], yard.homes()),
      recoverySeconds: outageSeconds,
      problems: [
        statuses.some((status) => ![200, 201, 503].includes(status)) && `answers were ${[...new Set(statuses)]}`,
        !ran.every(({ run_marker }) => marksBefore.includes(run_marker)) && 'a turn was begun anew',
      ].filter(Boolean),
    }
  },
}

/** Reads and creates, one after the other, until all has been well for a while. */
async function requestsUntilWell(yard, host, tag) {
  const statuses = []
  const created = []
  let firstBad
  let lastBad = performance.now()
  const started = performance.now()
  for (let number = 1; ; number += 1) {
    const isCreate = number % 10 === 0 && created.length < 5
    const own = { tag: `${tag}.late${number}`, number: 1 }
    const prompt = yard.effects.prompt(own.tag, 1)
    const answer = isCreate
      ? await host.post('/api/v1/sessions', { git_root: yard.gitRoot, agent_runtime: 'demo', prompt })
      : await host.get('/api/v1/sessions?per_page=1')
    statuses.push(answer.status)
    if (answer.status === 201) created.push({ ...own, id: answer.body.session.id })
    const now = performance.now()
    if (answer.status >= 400 || answer.status === 0) {
      firstBad ??= now
      lastBad = now
    }
    // Two quiet seconds after the last trouble, or three when there was none.
    if (now - lastBad > 2000 && now - started > 3000) break
    if (now - started > 30_000) break
    await wait(20)
  }
  return { statuses, created, outageSeconds: firstBad === undefined ? 0 : (lastBad - firstBad) / 1000 }
}
