import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { judgeStored } from '../stored.mjs'
import { until } from '../until.mjs'

const names = ['parking-a', 'parking-b', 'parking-c']

export const parkedStart = {
  name: 'R38',
  what: 'choosing an MCP server that needs authorisation while turns start, and kill -9 of a server, on one to three servers',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const environment = { CATALOG_PATH: await writeCatalog(join(cluster.folder, 'parking-catalog')) }
    const used = names.slice(0, 1 + (seed % 3))
    for (const name of names) if (!used.includes(name)) await cluster.stop(name)
    const start = () => Promise.all(used.map((name) => cluster.up(name, environment)))
    const hosts = await start()
    const choose = (id, servers) =>
      random.pick(hosts).patch(`/api/v1/sessions/${id}/mcp_servers`, { mcp_servers: servers })
    const accepted = []
    const choosing = []
    const ids = await Promise.all(
      Array.from({ length: isShort ? 4 : 10 }, async (_, index) => {
        const tag = `R38.${seed}.${index}`
        const host = random.pick(hosts)
        const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 0.3'))
        choosing.push(wait(random.between(0, 1000)).then(() => choose(id, ['guarded'])))
        for (const number of [2, 3]) await host.command('enqueue', { id, prompt: cluster.effects.prompt(tag, number) })
        for (const number of [1, 2, 3]) accepted.push({ tag, number })
        return id
      }),
    )
    if (seed % 2 === 1) {
      await wait(random.between(0, 2000))
      await random.pick(hosts).kill()
    }
    await Promise.all(choosing)
    const [survivor] = await start()
    await until(
      'no session works',
      () => findWorking(cluster, ids),
      (rows) => rows.length === 0,
      60_000,
    )
    const parked = await failedSessions(cluster, ids)
    for (const id of ids) await survivor.patch(`/api/v1/sessions/${id}/mcp_servers`, { mcp_servers: [] })
    for (const id of parked) await survivor.post(`/api/v1/sessions/${id}/restart`)
    await settled(cluster, ids)
    const failed = await failedSessions(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      figures: { 'sessions parked': parked.length },
      problems: [
        ...(await judgeStored(cluster, ids, accepted)),
        ...(failed.length > 0 ? [`${failed.length} sessions failed after their restart`] : []),
      ],
    }
  },
}

/** A parked session keeps its queued turn until its restart; a turn that has a host would keep a slot. */
async function findWorking({ pool }, ids) {
  const { rows } = await pool.query(
    `select id, status from sessions
     where id = any($1)
       and (status in ('waiting', 'running') or exists (
         select from turns where session_id = sessions.id and state in ('dispatched', 'executing')
       ))`,
    [ids],
  )
  return rows
}

async function failedSessions({ pool }, ids) {
  const { rows } = await pool.query("select id::int from sessions where id = any($1) and status = 'failed'", [ids])
  return rows.map(({ id }) => id)
}

/** One server without a sign-in. */
async function writeCatalog(folder) {
  await mkdir(folder, { recursive: true })
  const guarded = { type: 'streamable-http', url: 'https://mcp.test/', oauth: { clientId: 'x', clientSecret: 'y' } }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ guarded }))
  await writeFile(join(folder, 'air.json'), JSON.stringify({ name: 'parking', mcp: ['mcp.json'] }))
  return folder
}
