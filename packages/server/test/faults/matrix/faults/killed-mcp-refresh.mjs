import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readMasterKeys } from '../../../../dist/platform/vault/master-key.js'
import { unseal } from '../../../../dist/platform/vault/seal.js'
import { loopbackCertificate } from '../../../support/oauth/certificate.mjs'
import { createSession, masterKey } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const killedMcpRefresh = {
  name: 'R82',
  what: 'a host is killed while it renews a token whose refresh token works once; the token works, or the server says to sign in again',
  seeds: 20,
  // A host takes many seconds to start on a busy machine, and a round starts up to ten.
  limitSeconds: 240,
  round: async ({ cluster, seed, random, isShort }) => {
    const endpoint = await openTokenEndpoint()
    const name = `refreshing-${seed}`
    const environment = await catalogFor(cluster, name, endpoint)
    const problems = []
    const accepted = []
    const ends = { ready: 0, needs_reauth: 0 }
    try {
      for (let round = 1; round <= (isShort ? 2 : 5); round += 1) {
        let host = await cluster.up(name, environment)
        await authorize(host, endpoint)
        endpoint.answerAfterMs = random.between(0, 60)
        const begun = endpoint.nextRefresh()
        await cluster.pool.query('update mcp_credentials set expires_at = now() where server_url = $1', [
          endpoint.server,
        ])
        const tag = `R82.${seed}.${round}`
        await createSession(cluster, host, cluster.effects.prompt(tag, 1), { mcp_servers: ['vault'] })
        accepted.push({ tag, number: 1 })
        await begun
        await wait(random.between(0, 120))
        await host.kill()
        host = await cluster.start(name, environment)
        const { answer } = await until(
          'the connector is settled',
          () => stateOf(host),
          (state) => state in ends,
        )
        ends[answer] += 1
        await until(
          'no renewal is underway',
          () => rowOf(cluster, endpoint),
          (row) => row.refresh_run === null,
        )
        problems.push(
          ...problemsOf(await rowOf(cluster, endpoint), answer, endpoint).map(
            (problem) => `round ${round}: ${problem}`,
          ),
        )
        if (answer === 'needs_reauth') await authorize(host, endpoint)
        await until(
          'the session works',
          async () => cluster.effects.lines().filter((line) => line.tag === tag && line.mark === 'end'),
          ({ length }) => length > 0,
        )
      }
      await cluster.stop(name)
      return {
        ...judge(cluster.effects, accepted, [join(cluster.folder, `home-${name}`)]),
        problems,
        figures: { 'tokens that were saved': ends.ready, 'asked for a new sign-in': ends.needs_reauth },
      }
    } finally {
      endpoint.close()
      await cluster.stop(name)
    }
  },
}

/** What the row says must be what the authorization server thinks. */
function problemsOf(row, state, endpoint) {
  const opened = (column) =>
    unseal(readMasterKeys(masterKey), { table: 'mcp_credentials', column, id: row.id }, row[column])
  const found = []
  if (row.refresh_token !== null && opened('refresh_token') !== endpoint.current())
    found.push('the refresh token is dead, and no one says so')
  if (state === 'ready' && !endpoint.isGood(opened('access_token')))
    found.push('the access token is not one of the server')
  if (state === 'needs_reauth' && !/Authorize the server again/.test(row.refresh_error ?? ''))
    found.push(`it does not say why: ${row.refresh_error}`)
  return found
}

/** Of this seed: those of earlier seeds stay in the database, orphaned, with endpoints that are closed. */
async function rowOf({ pool }, { server }) {
  const { rows } = await pool.query('select * from mcp_credentials where server_url = $1', [server])
  return rows[0]
}

async function stateOf(host) {
  const { body } = await host.get('/api/v1/connectors')
  return body.connectors?.find(({ name }) => name === 'vault')?.state
}

async function authorize(host, endpoint) {
  const { body } = await host.post('/api/v1/connectors/vault/authorize', { again: true })
  endpoint.answerAfterMs = 0
  const { status } = await host.post('/api/v1/connectors/complete', { state: body.state, redirect_response: 'a-code' })
  if (status !== 200) throw new Error(`completing was answered ${status}`)
}

async function catalogFor({ folder }, name, endpoint) {
  const catalog = join(folder, `catalog-${name}`)
  await mkdir(catalog)
  const oauth = {
    clientId: 'us',
    authorizationEndpoint: `${endpoint.origin}/authorize`,
    tokenEndpoint: `${endpoint.origin}/token`,
  }
  const files = {
    'air.json': { name: 'faults', mcp: ['./mcp.json'] },
    'mcp.json': { vault: { type: 'streamable-http', url: endpoint.server, oauth } },
    'authority.pem': endpoint.certificate,
  }
  for (const [file, content] of Object.entries(files))
    await writeFile(join(catalog, file), typeof content === 'string' ? content : JSON.stringify(content))
  return {
    CATALOG_PATH: join(catalog, 'air.json'),
    OAUTH_ALLOWED_ORIGINS: endpoint.origin,
    NODE_EXTRA_CA_CERTS: join(catalog, 'authority.pem'),
  }
}

/** Refresh tokens work once: the next one is made when the request arrives, whether or not its answer does. */
async function openTokenEndpoint() {
  const certificate = loopbackCertificate()
  const good = new Set()
  let number = 0
  let current = ''
  let announce = () => undefined
  const endpoint = { answerAfterMs: 0, certificate: certificate.cert }
  const server = createServer(certificate, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const form = new URLSearchParams(body)
      const isRefresh = form.get('grant_type') === 'refresh_token'
      const isRight = !isRefresh || form.get('refresh_token') === current
      if (isRight) {
        number += 1
        current = `refresh-${number}-of-a-server-in-the-fault-matrix`
        good.add(`access-${number}-of-a-server-in-the-fault-matrix`)
      }
      if (isRefresh) announce()
      const content = isRight
        ? {
            access_token: `access-${number}-of-a-server-in-the-fault-matrix`,
            refresh_token: current,
            expires_in: 3600,
            token_type: 'Bearer',
          }
        : { error: 'invalid_grant' }
      await wait(endpoint.answerAfterMs)
      response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    })
  })
  server.on('tlsClientError', () => undefined)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://127.0.0.1:${server.address().port}`
  return Object.assign(endpoint, {
    origin,
    server: `${origin}/mcp`,
    current: () => current,
    isGood: (token) => good.has(token),
    nextRefresh: () =>
      new Promise((resolve) => {
        announce = resolve
      }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
}
