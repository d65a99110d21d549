import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { atRest } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const runtime = 'runtime_beta'
const { app, vendor, rows, clear, account, begin: beginAny } = accountsApp()
afterEach(clear)

const add = async (email: string): Promise<number> => {
  const answer = await app.post('/accounts', { runtime, credentials: vendor.codexLoginFile(email) })
  expect(answer).toMatchObject({ status: 201, body: { account: { email, status: 'active' } } })
  return answer.body.account.id
}

const begin = (prompt: string) =>
  beginAny(prompt, { agent_runtime: runtime, config: { model: 'gpt-6.1-sol' }, scheduling_class: 'priority' })

const isParked = (id: number) =>
  eventually(
    async () => (await app.get(`/sessions/${id}`)).body.session,
    ({ metadata }) => metadata.auth_outage_reason !== undefined,
  )

const turnsOf = (id: number) => rows('select source, outcome from turns where session_id = $1 order by sequence', [id])

/** The login files of sessions, and what was kept of them. */
async function loginFiles(): Promise<string[]> {
  const homes = await readdir(join(app.home, 'runtimes'))
  const files = homes.flatMap((home) => [join(home, '.codex', 'auth.json'), join(home, 'auth.json')])
  const found = await Promise.all(
    files.map((file) =>
      access(join(app.home, 'runtimes', file)).then(
        () => [file],
        () => [],
      ),
    ),
  )
  return found.flat()
}

describe('a pool of Codex', () => {
  test('continues a turn with the next account when the quota is spent, and leaves no login on disk', async () => {
    const one = await add('one@example.test')
    await add('two@example.test')
    vendor.spend('one@example.test')
    const id = await begin('hello')
    expect(await atRest(app, id)).toMatchObject({
      status: 'needs_input',
      metadata: { auth_identity_email: 'two@example.test' },
    })
    expect(await account(one)).toMatchObject({ status: 'quota_exceeded', quota_resets_at: expect.any(String) })
    expect(vendor.answered).toEqual([{ account: 'two@example.test', prompt: expect.any(String) }])
    expect(await turnsOf(id)).toEqual([
      { source: 'create', outcome: 'interrupted' },
      { source: 'recovery', outcome: 'completed' },
    ])
    expect(await loginFiles()).toEqual([])
  })

  test('that is empty parks the session with the reason and an estimate, and a cleared window wakes it', async () => {
    const one = await add('one@example.test')
    vendor.spend('one@example.test')
    const id = await begin('hello')
    expect(await isParked(id)).toMatchObject({
      status: 'waiting',
      metadata: { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: expect.any(String) },
    })
    expect((await app.get('/account_pools')).body.account_pools).toContainEqual(
      expect.objectContaining({
        runtime,
        available_count: 0,
        parked_session_count: 1,
        recovers_at: expect.any(String),
      }),
    )
    const [snapshot] = await rows(`select status_5h, trigger from quota_snapshots order by id desc limit 1`)
    expect(snapshot).toEqual({ status_5h: 'rejected', trigger: 'rotation' })
    expect(await loginFiles()).toEqual([])
    vendor.spend('one@example.test', false)
    await app.pool.query('update accounts set quota_resets_at = now() where id = $1', [one])
    await runPeriodic(app.app, 'sample_quotas')
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect((await app.get(`/sessions/${id}`)).body.session.metadata).not.toHaveProperty('auth_outage_reason')
    expect(vendor.answered).toHaveLength(1)
  })

  test('whose only login is revoked parks as auth_unrecoverable, and a second account that is added wakes the session', async () => {
    const one = await add('one@example.test')
    vendor.revoke('one@example.test')
    const id = await begin('hello')
    expect(await isParked(id)).toMatchObject({
      status: 'waiting',
      metadata: { auth_outage_reason: 'auth_unrecoverable' },
    })
    expect(await account(one)).toMatchObject({ status: 'needs_reauth' })
    await add('two@example.test')
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(vendor.answered).toEqual([{ account: 'two@example.test', prompt: expect.any(String) }])
  })
})
