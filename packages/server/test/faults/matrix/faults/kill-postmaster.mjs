import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const killPostmaster = {
  name: 'R9',
  what: 'kill -9 of the postmaster mid-turn, down for 30 s',
  seeds: 20,
  limitSeconds: 180,
  recoveryLimitSeconds: 10,
  round: async ({ cluster, seed, random, isShort }) => {
    const host = await cluster.up()
    const downMs = isShort ? 3000 : 30_000
    const accepted = [0, 1, 2].map((index) => ({ tag: `R9.${seed}.${index}`, number: 1 }))
    const ids = []
    for (const [index, { tag }] of accepted.entries()) {
      // One turn ends during the outage, one prints during it, one outlasts it.
      const work = [
        ['sleep 1'],
        Array.from({ length: 20 }, (_, line) => [`say line ${line}`, `sleep ${downMs / 25_000}`]).flat(),
        [`sleep ${downMs / 1000 + 3}`],
      ][index]
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, ...work)))
    }
    const turns = await agentsUp(cluster, ids)
    const agents = await cluster.processesOf([turns.find(({ session_id }) => session_id === ids[2]).run_marker])
    await wait(random.between(0, 800))
    await cluster.database.kill()
    const problems = []
    const shallow = await host.get('/up')
    const deep = await host.get('/up/deep')
    if (shallow.status !== 200) problems.push(`/up answered ${shallow.status}`)
    if (deep.status !== 503 || !deep.body.failed?.includes('database'))
      problems.push(`/up/deep answered ${deep.status}`)
    const read = await host.get('/api/v1/sessions')
    if (read.status !== 503) problems.push(`a read answered ${read.status}`)
    await wait(downMs)
    if ((await cluster.stillRunning(agents)).length === 0) problems.push('the live agent was killed')
    await cluster.database.restart()

    const recovered = await until(
      'the host serves again',
      () => host.get('/api/v1/sessions'),
      ({ status }) => status === 200,
    )
    await settled(cluster, ids)
    for (const id of ids) problems.push(...(await storedOnce(host, id)))
    const { rows } = await cluster.pool.query(
      'select session_id, source, outcome, failure_reason, error from turns where session_id = any($1) order by created_at',
      [ids],
    )
    if (rows.length !== 3 || rows.some(({ outcome }) => outcome !== 'completed'))
      problems.push(`a turn did not complete: ${JSON.stringify(rows)}`)
    return { ...judge(cluster.effects, accepted, cluster.homes()), recoverySeconds: recovered.seconds, problems }
  },
}

/** Checks that no entry is stored twice and that the numbered lines are complete and in order. */
async function storedOnce(host, id) {
  const { body } = await host.get(`/api/v1/sessions/${id}?include_transcript=true`)
  const entries = body.session.transcript.split('\n').filter(Boolean).map(JSON.parse)
  const uuids = entries.map(({ uuid }) => uuid)
  const said = entries.flatMap(({ type, message }) => (type === 'assistant' ? message.content : []))
  const counted = said.flatMap(({ text }) => /^line (\d+)$/.exec(text ?? '')?.[1] ?? []).map(Number)
  const isComplete = counted.length === 0 || counted.join() === Array.from({ length: 20 }, (_, n) => n).join()
  return [
    new Set(uuids).size !== uuids.length && `session ${id} has an entry twice`,
    !isComplete && `session ${id} has gaps: ${counted}`,
  ].filter(Boolean)
}
