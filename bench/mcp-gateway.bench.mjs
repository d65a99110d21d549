import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeGrant } from '../packages/server/dist/domain/credentials/credential.js'
import { newTurnKey, turnKeyDigest } from '../packages/server/dist/domain/inbox/inbox.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { loopbackCertificate } from '../packages/server/test/support/oauth/certificate.mjs'
import { startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/**
 * What the gateway adds to a call of a tool of a remote MCP server: the time of a call through it, over the time of a direct call with
 * the token. The server is on loopback and answers after 20 ms, as a near one would.
 */
const target = 2
const rounds = 200
const serverMs = 20
const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it","arguments":{}}}'

const certificate = loopbackCertificate()
const remote = createServer(certificate, (incoming, response) => {
  incoming.resume()
  incoming.on('end', () =>
    setTimeout(() => {
      const isRight = incoming.headers.authorization === 'Bearer the-token-of-the-bench'
      response
        .writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":1,"result":{}}')
    }, serverMs),
  )
})
await new Promise((resolve) => remote.listen(0, '127.0.0.1', () => resolve(undefined)))
const { port } = /** @type {import('node:net').AddressInfo} */ (remote.address())
const url = `https://127.0.0.1:${port}/mcp`
const folder = await mkdtemp(join(tmpdir(), 'yardmaster-bench-catalog-'))
await writeFile(join(folder, 'air.json'), JSON.stringify({ name: 'bench', mcp: ['./mcp.json'] }))
await writeFile(join(folder, 'mcp.json'), JSON.stringify({ vault: { type: 'streamable-http', url, oauth: {} } }))
const { host, stop } = await startBenchHost(
  { ROLE: 'web', CATALOG_PATH: join(folder, 'air.json'), OAUTH_ALLOWED_ORIGINS: new URL(url).origin },
  { trustedAuthority: certificate.cert },
)
try {
  const key = await seed()
  const direct = []
  const through = []
  const agent = new Agent({ keepAlive: true, ca: certificate.cert })
  for (let round = 0; round < rounds; round += 1) {
    direct.push(await timed(() => callDirect(agent)))
    through.push(await timed(() => callThrough(key)))
  }
  agent.destroy()
  const [one, other] = [median(direct.slice(20)), median(through.slice(20))]
  const ratio = other / one
  console.log(
    `a tool call through the gateway takes ${other.toFixed(1)} ms, a direct one ${one.toFixed(1)} ms: ${ratio.toFixed(2)} times, ${(other - one).toFixed(1)} ms more (target: at most ${target} times)`,
  )
  if (ratio > target) process.exitCode = 1
} finally {
  await stop()
  remote.closeAllConnections()
  remote.close()
  await rm(folder, { recursive: true, force: true })
}

/** A session with a turn that runs, whose key is known, and a stored token. */
async function seed() {
  const key = newTurnKey()
  const { app } = host
  const { id } = await app.db
    .insertInto('sessions')
    .values({
      agent_runtime: 'demo',
      genesis: 'api',
      git_root: '/srv/widgets',
      branch: 'main',
      config: '{"model": "demo"}',
      status: 'running',
      mcp_servers: ['vault'],
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.db
    .insertInto('turns')
    .values({
      session_id: id,
      sequence: 1,
      source: 'create',
      prompt: 'x',
      goal: null,
      state: 'executing',
      lease_owner: app.home.hostId,
      lease_expires_at: new Date(Date.now() + 3_600_000),
      key_digest: turnKeyDigest(key),
    })
    .execute()
  await transact(app.db, (tx) =>
    storeGrant(app, tx, {
      server: { name: 'vault', kind: 'http', url, headers: {} },
      issuer: null,
      client: { id: 'us', secret: undefined, authMethod: 'none' },
      tokenEndpoint: `https://127.0.0.1:${port}/token`,
      tokens: {
        accessToken: 'the-token-of-the-bench',
        refreshToken: undefined,
        expiresInSeconds: undefined,
        scope: undefined,
      },
      scopes: null,
      resource: null,
    }),
  )
  return key
}

/** @param {import('node:https').Agent} agent */
function callDirect(agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer the-token-of-the-bench' }
    const sending = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(undefined) : reject(new Error(`${answer.statusCode}`)),
      )
    })
    sending.on('error', reject)
    sending.end(message)
  })
}

/** @param {string} key */
async function callThrough(key) {
  const answer = await fetch(`${host.web?.url}/mcp_gateway/vault`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: message,
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}: ${text}`)
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}
