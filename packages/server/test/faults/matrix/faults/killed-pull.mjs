import { setTimeout as wait } from 'node:timers/promises'
import { settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { triggerFault } from '../triggers.mjs'

const items = '/api/v1/work_backlog_items'

export const killedPull = triggerFault({
  name: 'R81',
  what: 'kill -9 of the server during pulls of the work backlog: an item is started if and only if its session exists',
  limitSeconds: 150,
  round: async ({ cluster, host, hosts, random, isShort, tags, killFirst }) => {
    const accepted = tags(isShort ? 8 : 20)
    for (const { tag } of accepted) await append(host, tag, cluster.effects.prompt(tag, 1))
    const asked = [...accepted.slice(-4).map(({ tag }) => ({ keys: [tag] })), ...Array(6).fill({ count: 2 })]
    const pulls = asked.map((body, index) =>
      hosts[index % hosts.length].post(`${items}/pull`, body).catch(() => undefined),
    )
    await wait(random.between(0, 1200))
    const next = await killFirst()
    await Promise.all(pulls)
    const torn = await countTorn(cluster)
    const { rows: left } = await cluster.pool.query(`select from work_backlog_items where status = 'queued'`)
    while ((await pullRest(next)) > 0);
    const { rows } = await cluster.pool.query(
      'select started_session_id::int as id from work_backlog_items where key = any($1)',
      [accepted.map(({ tag }) => tag)],
    )
    await settled(
      cluster,
      rows.map(({ id }) => id),
    )
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: [torn > 0 && `${torn} items or sessions without each other`, await wrongCount(cluster)].filter(Boolean),
      figures: { queuedAfterKill: left.length },
    }
  },
})

async function append(host, key, prompt) {
  const { status, body } = await host.post(items, {
    key,
    repo: 'acme/web',
    surface: 'web',
    title: 'A fault',
    kind: 'bug',
    scope_direction: 'convergent',
    estimated_cost: 'small',
    prompt,
  })
  if (status !== 201) throw new Error(`an append failed: ${status} ${JSON.stringify(body)}`)
}

async function pullRest(host) {
  const { status, body } = await host.post(`${items}/pull`, { count: 10 })
  if (status !== 200) throw new Error(`a pull failed: ${status} ${JSON.stringify(body)}`)
  return body.started.length
}

/** Started items without their session, and sessions of the backlog that no item or another item names. */
async function countTorn({ pool }) {
  const { rows } = await pool.query(
    `select from work_backlog_items items
     full join (
       select id, (custom_metadata ->> 'work_backlog_item_id')::bigint as item_id
       from sessions
       where custom_metadata ->> 'spawned_by' = 'work-backlog'
     ) spawned on spawned.item_id = items.id and spawned.id = items.started_session_id
     where (items.status = 'started') is distinct from (spawned.id is not null)`,
  )
  return rows.length
}

/** The counts that triggers keep must be those of the rows. */
async function wrongCount({ pool }) {
  const { rows } = await pool.query(
    `select status, sum(items)::int from work_backlog_counts group by status having sum(items) > 0
     except
     select status, count(*)::int from work_backlog_items group by status`,
  )
  return rows.length > 0 && `wrong counts: ${JSON.stringify(rows)}`
}
