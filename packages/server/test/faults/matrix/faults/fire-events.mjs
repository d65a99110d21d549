import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { allFired, createTrigger, createTriggers, judgeFires, onceIn, spawnedBy, triggerFault } from '../triggers.mjs'
import { until } from '../until.mjs'

export const killWhileEventsFire = triggerFault({
  name: 'R51',
  what: 'kill -9 of the server while events of sessions fire triggers; restart, or the other server goes on',
  limitSeconds: 180,
  round: async (setting) => {
    const { cluster, host, random, isShort, tags, killFirst } = setting
    const accepted = tags(isShort ? 3 : 6)
    const [watched, triggers] = [[], []]
    for (const one of accepted) {
      const id = await createSession(cluster, host, 'say ready')
      watched.push(id)
      const configuration = { event_name: 'session_archived', watched_session_id: id }
      triggers.push(...(await createTriggers(setting, [one], { condition_type: 'ao_event', configuration })))
    }
    await settled(cluster, watched)
    const archived = watched.map((id) => host.command('archive', { id, force: true }))
    await wait(random.between(0, 1500))
    const next = await killFirst()
    await Promise.all(archived)
    for (const id of watched) await next.command('archive', { id, force: true })
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
})

const tagOf = ({ tag, number }) => `${tag} ${number}`

export const killWhileInvoking = triggerFault({
  name: 'R52',
  what: 'kill -9 of the server during concurrent invokes; restart, or the other server goes on',
  limitSeconds: 150,
  round: async ({ cluster, host, random, isShort, tags, killFirst }) => {
    const trigger = await createTrigger(host, '{{text}}', await onceIn(cluster, 86_400))
    const asked = tags(isShort ? 6 : 20)
    const answers = asked.map(async (one) => {
      const variables = { text: cluster.effects.prompt(one.tag, 1) }
      const answer = await host.post(`/api/v1/triggers/${trigger}/invoke`, { variables }).catch(() => undefined)
      return { ...one, isAccepted: answer?.status === 201 }
    })
    await wait(random.between(0, 1500))
    const next = await killFirst()
    const outcomes = await Promise.all(answers)
    const uncounted = await countProblem(cluster, next, trigger)
    const accepted = outcomes.filter(({ isAccepted }) => isAccepted)
    const begun = cluster.effects.lines().filter(({ mark }) => mark === 'begin')
    // Whether an unanswered invoke was carried out is open, but not whether it was carried out twice.
    const twice = asked.filter((one) => begun.filter(({ key }) => key === tagOf(one)).length > 1)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: [twice.length > 0 && `${twice.length} invokes were carried out twice`, uncounted].filter(Boolean),
    }
  },
})

/** The trigger's own count of its sessions must be their number. */
async function countProblem(cluster, host, trigger) {
  const { length } = await spawnedBy(cluster, [trigger])
  const { body } = await host.get(`/api/v1/triggers/${trigger}`)
  const { sessions_created_count: counted } = body.trigger
  return counted !== length && `${counted} sessions counted, ${length} exist`
}

const cap = 5

export const databaseDownInBurst = triggerFault({
  name: 'R54',
  what: 'kill -9 of the postmaster during a burst of a trigger with a cap, restart',
  limitSeconds: 180,
  round: async (setting) => {
    const { cluster, seed, host, random, isShort, tags } = setting
    const later = await onceIn(cluster, 86_400)
    const bursting = await createTrigger(host, `say R54.${seed}`, later, { max_sessions_per_minute: cap })
    const accepted = tags(isShort ? 2 : 5)
    const triggers = await createTriggers(setting, accepted, await onceIn(cluster, 2))
    const invokes = Array.from({ length: 30 }, () =>
      host.post(`/api/v1/triggers/${bursting}/invoke`, {}).then(
        ({ status }) => status,
        () => undefined,
      ),
    )
    await wait(random.between(0, 1500))
    await cluster.database.kill()
    await wait(isShort ? 1000 : 5000)
    await cluster.database.restart()
    await Promise.all(invokes)
    await until(
      'the host serves again',
      () => host.get(`/api/v1/triggers/${bursting}`),
      ({ status }) => status === 200,
    )
    const verdict = judgeFires(cluster, accepted, await allFired(cluster, triggers))
    const uncounted = await countProblem(cluster, host, bursting)
    const { rows } = await cluster.pool.query(
      `select metadata ? 'burst_notice' as is_notice from sessions where metadata ->> 'trigger_id' = $1`,
      [String(bursting)],
    )
    const notices = rows.filter(({ is_notice }) => is_notice).length
    const spawned = rows.length - notices
    return {
      ...verdict,
      problems: [
        ...verdict.problems,
        uncounted,
        spawned > cap && `${spawned} sessions over the cap of ${cap}`,
        notices > 1 && `${notices} notices of one burst`,
      ].filter(Boolean),
    }
  },
})
