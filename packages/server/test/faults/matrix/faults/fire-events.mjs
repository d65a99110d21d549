import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { allFired, createTrigger, judgeFires, onceIn, spawnedBy, withLab } from '../triggers.mjs'
import { until } from '../until.mjs'

export const killWhileEventsFire = {
  name: 'R51',
  what: 'kill -9 of the server while events of sessions fire triggers, restart',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = await withLab(cluster)
    const host = await cluster.up('a', environment)
    const accepted = Array.from({ length: isShort ? 3 : 6 }, (_, index) => ({ tag: `R51.${seed}.${index}`, number: 1 }))
    const [watched, triggers] = [[], []]
    for (const { tag } of accepted) {
      const id = await createSession(cluster, host, 'say ready')
      watched.push(id)
      const configuration = { event_name: 'session_archived', watched_session_id: id }
      const condition = { condition_type: 'ao_event', configuration }
      triggers.push(await createTrigger(host, cluster.effects.prompt(tag, 1), condition))
    }
    await settled(cluster, watched)
    const archived = watched.map((id) => host.command('archive', { id, force: true }))
    await wait(random.between(0, 1500))
    await host.kill()
    await Promise.all(archived)
    const next = await cluster.start('a', environment)
    for (const id of watched) await next.command('archive', { id, force: true })
    return judgeFires(cluster, accepted, await allFired(cluster, triggers))
  },
}

const tagOf = ({ tag, number }) => `${tag} ${number}`

export const killWhileInvoking = {
  name: 'R52',
  what: 'kill -9 of the server during concurrent invokes, restart',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = await withLab(cluster)
    const host = await cluster.up('a', environment)
    const once = await onceIn(cluster, 86_400)
    const trigger = await createTrigger(host, '{{text}}', once)
    const asked = Array.from({ length: isShort ? 6 : 20 }, (_, index) => ({ tag: `R52.${seed}.${index}`, number: 1 }))
    const answers = asked.map(async (one) => {
      const variables = { text: cluster.effects.prompt(one.tag, 1) }
      const answer = await host.post(`/api/v1/triggers/${trigger}/invoke`, { variables }).catch(() => undefined)
      return { ...one, isAccepted: answer?.status === 201 }
    })
    await wait(random.between(0, 1500))
    await host.kill()
    const outcomes = await Promise.all(answers)
    const next = await cluster.start('a', environment)
    const sessions = await spawnedBy(cluster, [trigger])
    const accepted = outcomes.filter(({ isAccepted }) => isAccepted)
    const begun = cluster.effects.lines().filter(({ mark }) => mark === 'begin')
    // Whether an unanswered invoke was carried out is open, but not whether it was carried out twice.
    const twice = asked.filter((one) => begun.filter(({ key }) => key === tagOf(one)).length > 1)
    const { body } = await next.get(`/api/v1/triggers/${trigger}`)
    const counted = body.trigger.sessions_created_count
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: [
        twice.length > 0 && `${twice.length} invokes were carried out twice`,
        counted !== sessions.length && `${counted} sessions counted, ${sessions.length} exist`,
      ].filter(Boolean),
    }
  },
}

const cap = 5

export const databaseDownInBurst = {
  name: 'R54',
  what: 'kill -9 of the postmaster during a burst of a trigger with a cap, restart',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = await withLab(cluster)
    const host = await cluster.up('a', environment)
    const later = await onceIn(cluster, 86_400)
    const bursting = await createTrigger(host, `say R54.${seed}`, later, { max_sessions_per_minute: cap })
    const accepted = Array.from({ length: isShort ? 2 : 5 }, (_, index) => ({ tag: `R54.${seed}.${index}`, number: 1 }))
    const soon = await onceIn(cluster, 2)
    const triggers = []
    for (const { tag } of accepted) triggers.push(await createTrigger(host, cluster.effects.prompt(tag, 1), soon))
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
    const fired = await allFired(cluster, triggers)
    const spawned = await spawnedBy(cluster, [bursting])
    const { body } = await host.get(`/api/v1/triggers/${bursting}`)
    const counted = body.trigger.sessions_created_count
    const { rowCount: notices } = await cluster.pool.query(
      `select from sessions where metadata ->> 'trigger_id' = $1 and metadata ? 'burst_notice'`,
      [String(bursting)],
    )
    const verdict = judgeFires(cluster, accepted, fired)
    return {
      ...verdict,
      problems: [
        ...verdict.problems,
        counted !== spawned.length && `${counted} sessions counted, ${spawned.length} exist`,
        spawned.length - notices > cap && `${spawned.length - notices} sessions over the cap of ${cap}`,
        notices > 1 && `${notices} notices of one burst`,
      ].filter(Boolean),
    }
  },
}
