import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** As many values as fit into the 8 MB that most endpoints take. The large integer has a parser read the text twice. */
const costly = {
  values: ['application/json', `{"key":"x","name":99999999999999999999,"pad":[${'{},'.repeat(2_600_000)}{}]}`],
  brackets: ['application/json', `{"key":"x","pad":${']'.repeat(7_800_000)}`],
  fields: ['application/x-www-form-urlencoded', `key=x${'&a[]='.repeat(1_500_000)}`],
}

/**
 * A host that works through one body for longer than its lease lasts would lose its turns to another host. Strangers and callers with
 * a key send the costliest bodies while an agent works.
 */
export const costlyBodies = {
  name: 'R87',
  what: 'strangers and callers with a key send bodies that are as costly to read as possible',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, random }) => {
    const [host] = await cluster.only(2)
    const tag = `R87.${seed}`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 8'))
    const paths = ['/web/~aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/session', '/api/v1/categories', '/no-such-page', '/mcp']
    await wait(random.between(0, 600))
    const bodies = Object.keys(costly)
    const answers = await Promise.all(paths.flatMap((path) => bodies.map((body) => send(host, path, body))))
    await settled(cluster, [id])
    const { rows } = await cluster.pool.query('select count(*)::int as count from turns where session_id = $1', [id])
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      problems: [
        rows[0].count !== 1 && `the turn was taken over: ${rows[0].count} turns`,
        ...answers.map(({ path, body, status }) => status < 400 && `${path} answered ${status} to ${body}`),
      ].filter(Boolean),
    }
  },
}

/** Status 499: the server closed the connection before it had the whole body. */
async function send(host, path, name) {
  const [type, body] = costly[name]
  const headers = { 'content-type': type, 'x-api-key': host.key, 'sec-fetch-site': 'same-origin' }
  const { status } = await fetch(`${host.url}${path}`, { method: 'POST', headers, body }).catch(() => ({ status: 499 }))
  return { path, body: name, status }
}
