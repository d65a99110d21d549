// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { answer as apiKeyCommand } from '../../src/app/api-key-command.ts'
import { backUp } from '../../src/app/backup/backup.ts'
import { modules } from '../../src/app/modules.ts'
import { sealedRows } from '../../src/platform/vault/sealed-columns.ts'
import { alphaCli, startVendor } from '../support/accounts/vendor-server.ts'
import { client, sampleRepository, testApp, testMasterKey } from '../support/app/app.ts'
import { catalogOnDisk } from '../support/app/catalog-app.ts'
import { mcpClient } from '../support/app/mcp-client.ts'
import { keepDatabaseFiles } from '../support/database/database-files.ts'
import { filesWith } from '../support/files/files-with.ts'
import { dashboardBrowser } from '../support/http/dashboard-browser.ts'
import { operatorBrowser, operatorEnvironment } from '../support/http/operator-browser.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { authorizedMcpServer } from '../support/oauth/authorized-mcp-server.ts'
import { socialProvider } from '../support/oauth/social-provider.ts'
import { testCertificate } from '../support/oauth/tls-server.ts'
import { atRest, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

// Every token has a part of its own: other test files write to the same server, and tokens of their own into its log.
const own = randomUUID()
const password = operatorEnvironment.SUPERVISOR_PASSWORD
const secrets = { ofKnownClient: `known-client-${own}`, ofSocialClient: `social-client-${own}` }

const redirect = 'https://yard.example/mcp_oauth/callback'
const knownClient = { client_id: 'known', client_secret: secrets.ofKnownClient, redirect_uris: [redirect] }
const remote = await authorizedMcpServer({ demandsSecret: true, clients: [knownClient] })
const social = await socialProvider({ suffix: own })
const vendor = await startVendor()
afterAll(() => Promise.all([remote, social, vendor].map((each) => each.close())))

const folder = await catalogOnDisk({
  'runtimes.json': {
    runtimes: [{ name: 'helper', driver: 'acp', command: '/bin/true', environment: ['HELPER_API_KEY'] }],
  },
  'mcp.json': {
    registered: { type: 'streamable-http', url: remote.url, oauth: {} },
    known: {
      type: 'streamable-http',
      url: remote.url,
      oauth: { clientId: 'known', clientSecret: '${KNOWN_CLIENT_SECRET}' },
    },
    bookmarks: { type: 'stdio', command: 'sh', args: ['-c', 'test -n "$TOKEN"'], env: { TOKEN: '${X_ACCESS_TOKEN}' } },
  },
})
const { log, lines } = recordedLog('trace')
const app = testApp({
  environment: {
    SUPERVISOR_PASSWORD: password,
    APP_HOST: 'yard.example',
    CATALOG_PATH: `${folder}/air.json`,
    RUNTIMES_PATH: `${folder}/runtimes.json`,
    KNOWN_CLIENT_SECRET: secrets.ofKnownClient,
    OAUTH_ALLOWED_ORIGINS: `${remote.origin},${social.origin}`,
    X_OAUTH_CLIENT_ID: 'yard',
    X_OAUTH_CLIENT_SECRET: secrets.ofSocialClient,
    X_OAUTH_REDIRECT_URI: 'https://yard.example/supervisor/x_oauth/callback',
    X_OAUTH_AUTHORIZATION_URL: social.authorizationEndpoint,
    X_OAUTH_TOKEN_URL: social.tokenEndpoint,
    RUNTIME_ALPHA_COMMAND: alphaCli,
    ANTHROPIC_BASE_URL: vendor.url,
    RUNTIME_ALPHA_TOKEN_URL: `${vendor.url}/v1/oauth/token`,
  },
  trustedAuthority: testCertificate().cert,
  log,
})
const run = promisify(execFile)

type Tokens = Record<string, string>

test('after every kind of token was stored and used, none is in clear in the database, its files, its write-ahead log, a backup, the home or the log', async () => {
  const database = await keepDatabaseFiles(app.databaseUrl)
  try {
    const tokens: Tokens = { ...secrets, testMasterKey, password }
    Object.assign(tokens, await useKeysAndBrowsers())
    Object.assign(tokens, await authorizeServers(), await authorizeSocial(), await addAccounts())
    Object.assign(tokens, await sealedTokens('at first'))
    await useCredentials()
    await app.pool.query("update mcp_credentials set expires_at = now() - interval '1 minute'")
    await app.pool.query("update social_credentials set expires_at = now() + interval '1 minute'")
    await app.pool.query("update accounts set expires_at = now() + interval '30 seconds' where is_current")
    await useCredentials()
    Object.assign(tokens, await sealedTokens('renewed'))
    expectCovered(tokens)
    await tellAll(tokens)

    const backup = join(app.shared, 'backup.tar.gz')
    await backUp({ home: app.home, databaseUrl: app.databaseUrl, file: backup })
    await run('gunzip', ['--keep', backup])
    const serverLog = join(app.shared, 'log')
    await writeFile(serverLog, lines().join('\n'))
    const { tables, log, shared } = await database.places()
    const places = [join(app.shared, 'backup.tar'), serverLog, app.home, tables, log, ...shared]
    expect(await filesWith(tokens, ...places)).toEqual({})
    // The search would find them.
    for (const [text, place] of [
      ['Made by the command', tables],
      [`a label ${own}`, log],
      ['a line about credentials', serverLog],
    ] as const)
      expect([place, await filesWith({ text }, place)]).not.toEqual([place, {}])
  } finally {
    await database.release()
  }
})

async function useKeysAndBrowsers(): Promise<Tokens> {
  const page = '/supervisor/api_keys'
  const made = await operator().submit(page, page, { label: `a label ${own}`, scope: 'full' })
  const [onPage = ''] = /ymk_[\w-]{43}/.exec(made.text) ?? []
  const command = { verb: 'create', id: undefined, name: 'Made by the command', scope: 'full' }
  const [byCommand = ''] = /ymk_[\w-]{43}/.exec(await apiKeyCommand(app.host.app.db, command)) ?? []
  const link = app.host.app.signInKeys.makeLink(new Date()) ?? ''

  const git_root = await repository()
  const session = await startDemo(client(app.url, onPage), { git_root, lines: ['run echo working', 'say done'] })
  expect((await atRest(app, session.id)).status).toBe('needs_input')
  expect((await mcpClient(app, { key: byCommand }).call('get_session', { id: session.id })).isError).toBe(false)
  const cookies: string[] = []
  for (const [index, key] of [onPage, link].entries()) {
    const browser = dashboardBrowser(app)
    expect((await browser.post('/web/session', { key, name: 'Ada' })).status).toBe(201)
    await browser.post('/web/session/operator', { password })
    await browser.post('/web/v1/categories', { name: `Of browser ${index}` })
    cookies.push(browser.cookie.split('=')[1] ?? '')
  }
  await client(app.url, `${onPage}x`).get('/sessions')
  await app.send(`/api/v1/sessions?q=${byCommand}`)
  const [first = '', second = ''] = cookies
  return { onPage, byCommand, link, 'cookie of the first browser': first, 'cookie of the second browser': second }
}

/** One by a client that registers itself and gets a secret, one by a client of the catalog. */
async function authorizeServers(): Promise<Tokens> {
  const tokens: Tokens = {}
  for (const name of ['registered', 'known']) {
    const { body } = await app.post(`/connectors/${name}/authorize`, {})
    Object.assign(tokens, await sealedTokens(`while ${name} is authorized`))
    const { pathname, search, searchParams } = new URL(await remote.consent(body.url))
    const { status } = await app.send(pathname + search, { redirect: 'manual' })
    expect([name, status]).toEqual([name, 302])
    for (const part of ['code', 'state']) tokens[`${part} of ${name}`] = searchParams.get(part) ?? ''
  }
  return tokens
}

async function authorizeSocial(): Promise<Tokens> {
  const page = '/supervisor/x_oauth/authorize'
  const fields = { account_key: 'ada', access_token_env_var: 'X_ACCESS_TOKEN' }
  const { location } = await operator().submit(page, page, fields)
  const tokens = await sealedTokens('while the social account is authorized')
  const { pathname, search, searchParams } = new URL(social.consent(location ?? ''))
  expect((await operator().visit(pathname + search)).status).toBe(302)
  return { ...tokens, 'state of the social account': searchParams.get('state') ?? '' }
}

/** One is pasted and serves, one signs in by the command of the CLI; and the key of a runtime without accounts. */
async function addAccounts(): Promise<Tokens> {
  const email = `pasted-${own}@example.test`
  const credentials = vendor.loginFile(email)
  expect(await app.post('/accounts', { runtime: 'runtime_alpha', email, credentials })).toMatchObject({ status: 201 })
  const code = `good-${own}`
  const { body } = await app.post('/login_attempts', { runtime: 'runtime_alpha', email: 'signed-in@example.test' })
  const reaches = (status: string) =>
    eventually(
      async () => (await app.get(`/login_attempts/${body.login_attempt.id}`)).body.login_attempt,
      (attempt) => attempt.status === status,
    )
  await reaches('awaiting_code')
  await app.post(`/login_attempts/${body.login_attempt.id}/code`, { code })
  await reaches('succeeded')
  const key = `provider-key-${own}`
  expect((await app.post('/provider_keys/helper', { key })).status).toBe(200)
  return { 'login_attempts.pasted_code': code }
}

/** A session whose agent signs in with the account, calls both servers and starts the one with the social token. */
async function useCredentials(): Promise<void> {
  const mcp_servers = ['registered', 'known', 'bookmarks']
  const config = { model: 'claude-sonnet-5' }
  const order = { agent_runtime: 'runtime_alpha', prompt: 'work', git_root: await repository(), config, mcp_servers }
  const { body } = await app.post('/sessions', order)
  expect(await atRest(app, body.session.id)).toMatchObject({ status: 'needs_input' })
}

/** What every sealed column holds, by the declarations of the rooms. */
async function sealedTokens(when: string): Promise<Tokens> {
  const { db, vault } = app.host.app
  const tokens: Tokens = {}
  for (const declared of modules.flatMap(({ sealed = [] }) => sealed)) {
    for await (const rows of sealedRows(db, declared)) {
      for (const { id, values } of rows) {
        for (const [column, sealed] of Object.entries(values)) {
          if (sealed === null) continue
          const text = vault.open({ table: declared.table, column, id }, sealed)
          const name = `${declared.table}.${column} of ${id} ${when}`
          if (column !== 'login') tokens[name] = text
          else {
            const { accessToken, refreshToken } = JSON.parse(text)
            Object.assign(tokens, { [`${name}, access`]: accessToken, [`${name}, refresh`]: refreshToken })
          }
        }
      }
    }
  }
  return tokens
}

/** There is a token of every sealed column, and two of those that are renewed. */
function expectCovered(tokens: Tokens): void {
  for (const [name, token] of Object.entries(tokens)) expect([name, token.length > 10]).toEqual([name, true])
  const distinct = (column: string) => {
    const values = Object.entries(tokens).flatMap(([name, token]) => (name.startsWith(column) ? [token] : []))
    return new Set(values).size
  }
  const columns = modules.flatMap(({ sealed = [] }) =>
    sealed.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
  )
  expect(Object.fromEntries(columns.map((column) => [column, distinct(column)]))).toEqual({
    // The pair that was pasted, the one that took its place, and the pair of the sign-in.
    'accounts.login': 6,
    'login_attempts.pasted_code': 1,
    // Two servers.
    'mcp_credentials.access_token': 4,
    'mcp_credentials.client_secret': 2,
    'mcp_credentials.refresh_token': 4,
    'mcp_oauth_clients.client_secret': 1,
    'mcp_oauth_flows.client_secret': 2,
    'mcp_oauth_flows.code_verifier': 2,
    'provider_keys.key': 1,
    'social_credentials.access_token': 2,
    'social_credentials.refresh_token': 2,
    'social_oauth_flows.code_verifier': 1,
  })
}

/** A careless agent tells them in a log entry, and we in a line of our own. */
async function tellAll(tokens: Tokens): Promise<void> {
  const { body } = await app.get('/sessions')
  for (const [name, token] of Object.entries(tokens)) {
    // A code or a verifier is good once, and is over by now.
    if (/^(code|state) of|code_verifier|pasted_code|^cookie|^link|^onPage|^byCommand/.test(name)) continue
    const content = `I was given ${token}`
    const { status } = await app.post(`/sessions/${body.sessions[0].id}/logs`, { level: 'info', content })
    expect(status).toBe(201)
    app.host.app.log.warn({ token: await app.host.app.redactor.text(token) }, 'a line about credentials')
  }
}

const operator = () => operatorBrowser(app)
let made: Promise<string> | undefined
const repository = () => (made ??= sampleRepository(join(app.shared, 'repository')))
