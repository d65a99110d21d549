import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settled } from './cluster.mjs'
import { judge } from './effects.mjs'
import { until } from './until.mjs'

/** The environment of hosts whose catalog has the root `lab`: the demo agent on the cluster's repository. */
export async function withLab({ folder, gitRoot }, environment = {}) {
  const catalog = join(folder, 'catalog')
  await mkdir(catalog, { recursive: true })
  await writeFile(join(catalog, 'air.json'), JSON.stringify({ name: 'faults', roots: ['roots.json'] }))
  const lab = { description: 'For faults.', url: gitRoot, default_runtime: 'demo' }
  await writeFile(join(catalog, 'roots.json'), JSON.stringify({ lab }))
  return { CATALOG_PATH: join(catalog, 'air.json'), ...environment }
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
