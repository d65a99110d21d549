import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { importRemote } from '../platforms.mjs'
import { until } from '../until.mjs'

/** The notifications that each session should have, by its own rows, and those that it has. */
const announced = `
  select sessions.id::int,
    (select count(*) from session_transitions where session_id = sessions.id and to_status = 'failed')::int
      as failures,
    (sessions.status = 'needs_input')::int as rests,
    (select count(*) from elicitations where session_id = sessions.id and status = 'pending')::int as questions,
    (sessions.status = 'archived')::int as ends,
    count(*) filter (where notification_type = 'session_failed')::int as told_failures,
    count(*) filter (where notification_type = 'needs_input' and not stale)::int as told_rests,
    count(*) filter (where notification_type = 'elicitation_pending' and not stale)::int as told_questions,
    count(*) filter (where notification_type = 'session_complete')::int as told_ends
  from sessions
  left join notifications on notifications.session_id = sessions.id
  where sessions.id = any($1)
  group by sessions.id`

const changes = ['failures', 'rests', 'questions', 'ends']

const prompts = ['fail on purpose', 'say done', 'say asked', 'tool action_session {"action": "archive"}']

export const killBeforeNotification = {
  name: 'R66',
  what: 'kill -9 between a failure, a rest, a question or the end of a session and its notification, restart',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const host = await cluster.up('notifying')
    const ids = []
    for (let index = 0; index < (isShort ? 4 : 8); index += 1)
      ids.push(await createSession(cluster, host, prompts[index % prompts.length]))
    const count = async () => (await cluster.pool.query(announced, [ids])).rows
    const ended = random.between(1, ids.length + 1)
    const hasChanged = (row) => changes.some((change) => row[change] > 0)
    await until('some sessions have changed', count, (rows) => rows.filter(hasChanged).length >= ended)
    const asked = ids
      .filter((_, index) => prompts[index % prompts.length] === 'say asked')
      .map((id) => ask(host, id, { requestId: `R66.${seed}.${id}`, afterMs: random.between(0, 40) }))
    await wait(random.between(0, 60))
    await host.kill()
    const stored = (await Promise.all(asked)).filter((isStored) => isStored).length
    const atKill = await count()
    const untold = atKill.filter((row) => changes.some((change) => row[change] > row[`told_${change}`]))
    await cluster.start('notifying')
    await settled(cluster, ids)
    const hastened = async () => {
      await hasten(cluster, 'announce_rest')
      return count()
    }
    // A question that is closed, and a rest that has ended, leave the list.
    const isTold = (rows) =>
      rows.length === ids.length &&
      rows.every((row) => changes.every((change) => row[`told_${change}`] >= row[change])) &&
      rows.every((row) => row.told_questions === row.questions)
    const { answer: rows } = await until('every change is announced', hastened, isTold)
    const doubled = rows.filter((row) => changes.some((change) => row[`told_${change}`] > row[change]))
    const kept = rows.reduce((sum, { questions }) => sum + questions, 0)
    await cluster.stop('notifying')
    return {
      lost: 0,
      doubled: doubled.length,
      figures: { 'changes not announced at the kill': untold.length },
      problems: kept < stored ? [`${stored - kept} questions that were confirmed are gone`] : [],
    }
  },
}

/** Asks with an API key, so that the question outlives the host. Whether it was confirmed. */
async function ask(host, sessionId, { requestId, afterMs }) {
  await wait(afterMs)
  const meta = { 'com.acme/request-id': requestId, 'com.acme/session-id': String(sessionId) }
  return (await host.post('/api/v1/elicitations', { message: 'Which way?', _meta: meta })).status === 201
}

export const killDuringPush = {
  name: 'R67',
  what: 'kill -9 while pushes are sent, restart',
  seeds: 20,
  limitSeconds: 180,
  round: (setting) =>
    withBrowsers(setting, 2, async ({ service, browsers, start, send }) => {
      const { random } = setting
      service.decide(() => ({ status: 201, afterMs: random.between(200, 800) }))
      const host = await start()
      const ids = await send(host, 8)
      await wait(random.between(0, 1500))
      await host.kill()
      const before = browsers.flatMap(tagsOf).length
      await start()
      const { seconds } = await arrived(setting.cluster, browsers, ids)
      const repeats = browsers.flatMap((browser) => repeated(tagsOf(browser)))
      return {
        figures: {
          'seconds until all arrived': seconds,
          'sent first after the kill': browsers.length * ids.length - before,
          'sent again after the kill': repeats.length,
        },
        // Only what was on its way when the host died, in as many jobs as run at once, may be sent again.
        problems: repeats.length > atOnce ? [`${repeats.length} pushes were sent twice`] : [],
      }
    }),
}

/** The concurrency of the queue. */
const atOnce = 4

export const badPushService = {
  name: 'R68',
  what: 'a push service fails, throttles, hangs, cuts the connection or says 410',
  seeds: 20,
  limitSeconds: 240,
  round: (setting) =>
    withBrowsers(setting, 3, async ({ service, browsers, start, send }) => {
      const [good, troubled, gone] = browsers
      const { random, cluster } = setting
      const faults = Array.from({ length: 4 }, () => random.pick([500, 503, 429, 'cut', 'hang']))
      service.decide((path) => {
        if (gone.subscription.endpoint.endsWith(path)) return random.pick([404, 410])
        return troubled.subscription.endpoint.endsWith(path) ? (faults.shift() ?? 201) : 201
      })
      const host = await start()
      const ids = await send(host, 3)
      const { seconds } = await arrived(cluster, [good], ids)
      await arrived(cluster, [troubled], ids)
      const { rows } = await cluster.pool.query('select endpoint from push_subscriptions where endpoint = any($1)', [
        browsers.map(({ subscription }) => subscription.endpoint),
      ])
      return {
        doubled: [good, troubled].flatMap((browser) => repeated(tagsOf(browser))).length,
        figures: { 'seconds until the good service had all': seconds },
        problems: rows.length === 2 ? [] : [`${rows.length} subscriptions are left instead of 2`],
      }
    }),
}

/** A push service, subscribed browsers, and a host that may push to them. */
async function withBrowsers({ cluster, seed }, count, work) {
  const { startPushService } = await importRemote('push-service')
  const service = await startPushService()
  const browsers = Array.from({ length: count }, () => service.browser())
  const start = () => cluster.start('pushing', service.environment)
  const send = async (host, messages) => {
    for (const { subscription } of browsers) {
      const { status } = await host.post('/api/v1/push_subscriptions', subscription)
      if (status !== 201) throw new Error(`subscribing failed: ${status}`)
    }
    const session = await createSession(cluster, host, 'say done')
    await settled(cluster, [session])
    for (let index = 0; index < messages; index += 1) {
      const message = `message ${seed} ${index}`
      const { status } = await host.post('/api/v1/notifications/push', { session_id: session, message })
      if (status !== 200) throw new Error(`sending failed: ${status}`)
    }
    const { rows } = await cluster.pool.query(
      "select id::int from notifications where session_id = $1 and notification_type = 'custom_message'",
      [session],
    )
    return rows.map(({ id }) => id)
  }
  try {
    return await work({ service, browsers, start, send })
  } finally {
    await cluster.stop('pushing')
    await cluster.pool.query('delete from push_subscriptions')
    await service.close()
  }
}

/** Waits until every browser has a push for every notification. The pauses between attempts are shortened. */
function arrived(cluster, browsers, ids) {
  const ask = async () => {
    await hasten(cluster, 'send_push_notification')
    return browsers.map((browser) => new Set(tagsOf(browser)))
  }
  const isComplete = (tags) => tags.every((seen) => ids.every((id) => seen.has(`notification-${id}`)))
  return until('every push has arrived', ask, isComplete, 120_000)
}

/** As if the pause before the next attempt of the waiting jobs were over. */
async function hasten({ pool }, job) {
  await pool.query(
    `update graphile_worker._private_jobs as jobs set run_at = now()
     from graphile_worker._private_tasks as tasks
     where tasks.id = jobs.task_id and tasks.identifier = $1 and jobs.locked_at is null and jobs.run_at > now()`,
    [job],
  )
}

function tagsOf(browser) {
  return browser.pushes().map(({ tag }) => tag)
}

function repeated(tags) {
  return tags.filter((tag, index) => tags.indexOf(tag) !== index)
}
