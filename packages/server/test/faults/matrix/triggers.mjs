import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settled } from './cluster.mjs'
import { judge } from './effects.mjs'
import { until } from './until.mjs'

/** The environment of hosts whose catalog has the root `lab`, also for the work backlog: the demo agent on the cluster's repository. */
export async function withLab({ folder, gitRoot }, environment = {}) {
  const catalog = join(folder, 'catalog')
  await mkdir(catalog, { recursive: true })
  await writeFile(join(catalog, 'air.json'), JSON.stringify({ name: 'faults', roots: ['roots.json'] }))
  const lab = { description: 'For faults.', url: gitRoot, default_runtime: 'demo' }
  await writeFile(join(catalog, 'roots.json'), JSON.stringify({ lab }))
  return { CATALOG_PATH: join(catalog, 'air.json'), BACKLOG_AGENT_ROOT: 'lab', ...environment }
}

/**
 * A fault of triggers, on hosts whose catalog has that root. Odd seeds have two hosts and even seeds one, so 40 seeds are 20
 * of each. The round also receives:
 *
 * - `tags(count)`: so many prompts to count, each with a tag of its own
 * - `killFirst()`: kills the first host, and returns the one that goes on: the other, or the first after a restart
 */
export function triggerFault({ round, startHosts = startByKind, seeds = 40, ...fault }) {
  return {
    ...fault,
    seeds,
    round: async (setting) => {
      const { cluster, seed } = setting
      const environment = await withLab(cluster)
      const hosts = await startHosts({ ...setting, environment })
      const [host] = hosts
      const tags = (count) =>
        Array.from({ length: count }, (_, index) => ({ tag: `${fault.name}.${seed}.${index}`, number: 1 }))
      const killFirst = async () => {
        await host.kill()
        return hosts[1] ?? cluster.start('a', environment)
      }
      return round({ ...setting, environment, host, hosts, tags, killFirst })
    },
  }
}

function startByKind({ cluster, seed, environment }) {
  return cluster.only(1 + (seed % 2), environment)
}

/** Creates a trigger for each of the tags, which records its work, and returns their ids. */
export async function createTriggers({ cluster, host }, accepted, condition) {
  const triggers = []
  for (const { tag } of accepted) triggers.push(await createTrigger(host, cluster.effects.prompt(tag, 1), condition))
  return triggers
}

/** Creates a trigger on that root and returns its id. */
export async function createTrigger(host, prompt_template, condition, more = {}) {
  const { status, body } = await host.post('/api/v1/triggers', {
    name: 'Fault',
    agent_root_name: 'lab',
    prompt_template,
    trigger_conditions_attributes: [condition],
    ...more,
  })
  if (status !== 201) throw new Error(`creating a trigger failed: ${status} ${JSON.stringify(body)}`)
  return body.trigger.id
}

/** A one-time schedule so many seconds from now, by the database's clock. */
export async function onceIn({ pool }, seconds) {
  const { rows } = await pool.query(
    `select to_char((now() + make_interval(secs => $1)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS') as at`,
    [seconds],
  )
  return { condition_type: 'schedule', configuration: { scheduled_at: rows[0].at, timezone: 'UTC' } }
}

/** Waits until these one-time triggers have fired, which deletes them, and their sessions have settled. */
export async function allFired(cluster, triggers, limitMs = 60_000) {
  await until(
    'every trigger has fired',
    async () => (await cluster.pool.query('select id from triggers where id = any($1)', [triggers])).rows,
    ({ length }) => length === 0,
    limitMs,
  )
  return spawnedBy(cluster, triggers)
}

export async function spawnedBy(cluster, triggers) {
  const { rows } = await cluster.pool.query(`select id::int from sessions where metadata ->> 'trigger_id' = any($1)`, [
    triggers.map(String),
  ])
  const ids = rows.map(({ id }) => id)
  await settled(cluster, ids)
  return ids
}

/** One session and one prompt for each event. */
export function judgeFires(cluster, accepted, sessions) {
  return {
    ...judge(cluster.effects, accepted, cluster.homes()),
    problems: sessions.length === accepted.length ? [] : [`${sessions.length} sessions for ${accepted.length} events`],
  }
}
