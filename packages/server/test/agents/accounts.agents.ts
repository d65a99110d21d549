import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { runPeriodic } from '../support/jobs/run-periodic.ts'
import { atRest, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { startAccountVendor } from './support/account-vendor.ts'
import { agentYard, expectNothingDoubled } from './support/agent-yard.ts'
import { agents } from './support/agents.ts'
import { cli } from './support/cli.ts'

// The real CLIs with accounts of the pool, and their vendor on loopback.

const folder = await mkdtemp(join(tmpdir(), 'yardmaster-accounts-'))
const hostLogin = join(folder, 'person', 'auth.json')
const vendor = await startAccountVendor(() => model.url)
const { app, model, work, say } = agentYard({
  key: 'key-of-the-host',
  environment: async () => ({
    ANTHROPIC_BASE_URL: vendor.url,
    RUNTIME_ALPHA_TOKEN_URL: `${vendor.url}/v1/oauth/token`,
    OPENAI_BASE_URL: `${vendor.url}/v1`,
    RUNTIME_BETA_ISSUER: vendor.url,
    RUNTIME_BETA_LOGIN: hostLogin,
  }),
})
afterAll(async () => {
  await vendor.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await app.pool.query('delete from accounts')
  await app.pool.query('delete from account_pools')
  vendor.calls.length = 0
  vendor.refreshes.length = 0
})

type Runtime = (typeof agents)[0 | 1]['runtime']

async function add(runtime: Runtime, email: string, credentials = vendor.login(runtime, email)): Promise<number> {
  const answer = await app.post('/accounts', { runtime, email, credentials })
  expect(answer).toMatchObject({ status: 201, body: { account: { status: 'active' } } })
  return answer.body.account.id
}

const payers = (): (string | undefined)[] => [...new Set(vendor.calls.map(({ account }) => account))]

describe.each([agents[0], agents[1]])('a session of $runtime', (agent) => {
  const { runtime } = agent

  test('sends the token of its account to the vendor, and no key of the host', async () => {
    const email = `token-${runtime}@example.test`
    await add(runtime, email)
    vendor.calls.length = 0
    const id = await work(agent, `say Answered for ${email}`)
    expect(await textOf(app, id)).toContain(`Answered for ${email}`)
    expect(payers()).toEqual([email])
    expect((await app.get(`/sessions/${id}`)).body.session.metadata).toMatchObject({ auth_identity_email: email })
    // The refresh token stays with the server.
    expect(vendor.refreshes).toEqual([])
  })

  test('goes on with the second account when the vendor says that the quota of the first is spent', async () => {
    const [one, two] = [`one-${runtime}@example.test`, `two-${runtime}@example.test`]
    const first = await add(runtime, one)
    await add(runtime, two)
    const id = await work(agent, 'say First')
    vendor.spend(one)
    vendor.calls.length = 0
    expect(await say(id, 'say Second')).toMatchObject({
      status: 'needs_input',
      metadata: { auth_identity_email: two },
    })
    expect((await app.get(`/accounts/${first}`)).body.account).toMatchObject({
      status: 'quota_exceeded',
      quota_resets_at: expect.any(String),
    })
    expect(vendor.calls.filter(({ account }) => account === one).map(({ status }) => status)).toContain(429)
    expect(vendor.calls.at(-1)).toMatchObject({ account: two, status: 200 })
    const { rows } = await app.pool.query(
      `select reason, rotated_from_email, rotated_to_email from account_rotations where rotated_from_email = $1`,
      [one],
    )
    expect(rows).toEqual([{ reason: 'quota_exceeded', rotated_from_email: one, rotated_to_email: two }])
    const { rows: turns } = await app.pool.query(
      'select source, outcome from turns where session_id = $1 order by sequence',
      [id],
    )
    expect(turns.at(-1)).toMatchObject({ outcome: 'completed' })
    expect(turns.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    await expectNothingDoubled(app, id)
  })
})

describe.each([agents[0], agents[1]])('a session of $runtime whose pool is empty', (agent) => {
  test('waits with the reason and the end of the window, and goes on with an account that is added', async () => {
    const { runtime } = agent
    const [one, two] = [`alone-${runtime}@example.test`, `added-${runtime}@example.test`]
    await add(runtime, one)
    // The quota target would pause a spot session before it waits for the pool.
    const id = await work(agent, 'say First', { scheduling_class: 'priority' })
    vendor.spend(one)
    expect(await app.post(`/sessions/${id}/follow_up`, { prompt: 'say Second' })).toMatchObject({ status: 200 })
    const parked = await eventually(
      async () => (await app.get(`/sessions/${id}`)).body.session,
      ({ metadata }) => metadata.auth_outage_reason !== undefined,
    )
    expect(parked).toMatchObject({
      status: 'waiting',
      metadata: { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: expect.any(String) },
    })
    vendor.calls.length = 0
    await add(runtime, two)
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input', metadata: { auth_identity_email: two } })
    expect(vendor.calls.filter(({ status }) => status !== 200)).toEqual([])
    await expectNothingDoubled(app, id)
  })
})

// Claude Code renews at an address that cannot be changed, so only Codex is seen to do it.
test('a pair of tokens that a person’s own codex renewed is adopted, and the server renews nothing', async () => {
  const email = 'person@example.test'
  const id = await add('runtime_beta', email)
  // Codex renews a token that expires within five minutes.
  const login = vendor.login('runtime_beta', email, 3)
  await mkdir(dirname(hostLogin), { recursive: true })
  await writeFile(hostLogin, login, { mode: 0o600 })
  await writeFile(
    join(dirname(hostLogin), 'config.toml'),
    `openai_base_url = "${vendor.url}/v1"\ncheck_for_update_on_startup = false\n[features]\nplugins = false\napps = false\n`,
  )
  const byHand = promisify(execFile)(
    cli('runtime_beta'),
    [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-m',
      agents[1].model,
      '-',
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        CODEX_HOME: dirname(hostLogin),
        CODEX_REFRESH_TOKEN_URL_OVERRIDE: `${vendor.url}/oauth/token`,
      },
    },
  )
  byHand.child.stdin?.end('say Done by hand')
  await byHand
  const { tokens } = JSON.parse(await readFile(hostLogin, 'utf8'))
  expect(tokens.access_token).not.toBe(JSON.parse(login).tokens.access_token)

  await runPeriodic(app.host.app, 'follow_host_logins')
  vendor.calls.length = 0
  await work(agents[1], 'say Adopted')
  expect([...new Set(vendor.calls.map(({ token }) => token))]).toEqual([tokens.access_token])
  expect((await app.get(`/accounts/${id}`)).body.account).toMatchObject({ status: 'active' })
  // Once by the CLI, and never by the server.
  expect(vendor.refreshes).toEqual([JSON.parse(login).tokens.refresh_token])
})
