import { afterEach, describe, expect, test } from 'vitest'
import { accountsApp, runtime } from '../../support/accounts/accounts-app.ts'
import { expectProblem } from '../../support/app/app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const { app, vendor, rows, clear, add, account } = accountsApp()
afterEach(clear)

describe('accounts', () => {
  test('adds an account by a pasted login file, makes the first one current and measures its quota', async () => {
    const id = await add('one@example.test')
    expect(await account(id)).toMatchObject({
      email: 'one@example.test',
      status: 'active',
      is_current: true,
      is_available: true,
      can_refresh: true,
      quota: { utilization_5h: 0.2, utilization_7d: 0.1, status_5h: 'allowed' },
    })
  })

  test('never answers a token and stores it sealed', async () => {
    const id = await add('one@example.test')
    const answers = [
      await app.get(`/accounts/${id}`),
      await app.get('/accounts'),
      await app.get('/account_pools'),
      await app.get('/account_quota_snapshots'),
      await app.get('/account_rotations'),
    ]
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('sk-ant')
    const [row] = await rows('select login from accounts where id = $1', [id])
    expect(row?.login).toMatch(/^v1\./)
  })

  test('rejects credentials that are neither a login file nor a token, and a runtime without accounts', async () => {
    const order = { runtime, email: 'one@example.test', credentials: '{"a":1}' }
    expectProblem(await app.post('/accounts', order), 422, 'Validation failed')
    expectProblem(await app.post('/accounts', { ...order, runtime: 'demo' }), 422, 'Validation failed')
    const { email: _, ...unnamed } = { ...order, credentials: vendor.loginFile('x') }
    expectProblem(await app.post('/accounts', unnamed), 422, 'Validation failed')
    expect((await app.get('/accounts')).body.accounts).toEqual([])
  })

  test('takes a bare token, which it says cannot be refreshed', async () => {
    const { access } = vendor.issue('bare@example.test')
    const answer = await app.post('/accounts', { runtime, email: 'bare@example.test', credentials: access })
    expect(answer.body.account).toMatchObject({ can_refresh: false, is_available: true })
  })

  test('switches the current account, records the rotation, and changes priorities', async () => {
    const one = await add('one@example.test')
    const two = await add('two@example.test')
    expect((await app.post(`/accounts/${two}/switch`)).body.account).toMatchObject({ is_current: true })
    expect(await account(one)).toMatchObject({ is_current: false })
    const { account_rotations: rotations } = (await app.get('/account_rotations')).body
    expect(rotations[0]).toMatchObject({
      rotated_from_email: 'one@example.test',
      rotated_to_email: 'two@example.test',
      reason: 'switched',
      source: 'manual',
    })
    expect((await app.patch(`/accounts/${one}`, { priority: 7 })).body.account.priority).toBe(7)
    expect((await app.get('/account_pools')).body.account_pools).toContainEqual(
      expect.objectContaining({ runtime, account_count: 2, current_account_id: two, average_utilization_5h: 0.2 }),
    )
  })

  test('keeps the history of a deleted account by its name, and moves on to another', async () => {
    const one = await add('one@example.test')
    const two = await add('two@example.test')
    expect(await app.delete(`/accounts/${one}`)).toMatchObject({ status: 204 })
    expect(await account(two)).toMatchObject({ is_current: true })
    const { quota_snapshots: snapshots } = (await app.get('/account_quota_snapshots?per_page=50')).body
    expect(snapshots).toContainEqual(
      expect.objectContaining({ account_id: null, account_email: 'one@example.test', trigger: 'bootstrap' }),
    )
    const { account_rotations: rotations } = (await app.get('/account_rotations')).body
    expect(rotations[0]).toMatchObject({ rotated_from_email: 'one@example.test', reason: 'account_deleted' })
  })

  test('refreshes one account at once, and all of them by a job', async () => {
    const id = await add('one@example.test')
    expect((await app.post(`/accounts/${id}/refresh`)).body.account.last_refreshed_at).not.toBeNull()
    expect(vendor.refreshes).toHaveLength(1)
    expect(await app.post('/accounts/refresh_all')).toMatchObject({ status: 202 })
    await eventually(
      async () => vendor.refreshes.length,
      (count) => count === 2,
    )
  })

  test('reports the accounts in the health report', async () => {
    await add('one@example.test')
    const { auth_health: health } = await healthReport(app)
    expect(health).toMatchObject({
      session_scoped_credentials: true,
      available_accounts: 1,
      serviceable_accounts: 1,
      needs_reauth_accounts: 0,
      credentials_owner: 'one@example.test',
      status: { status: 'healthy' },
    })
  })

  test('prunes readings after the retention and keeps the last one of an account', async () => {
    const id = await add('one@example.test')
    await app.pool.query(`insert into quota_snapshots (account_id, account_email, account_runtime, trigger)
      values (${id}, 'one@example.test', '${runtime}', 'scheduled')`)
    await app.pool.query(`update quota_snapshots set created_at = now() - interval '40 days'`)
    await runPeriodic(app.app, 'prune_quota_snapshots')
    expect(await rows('select trigger from quota_snapshots')).toEqual([{ trigger: 'scheduled' }])
  })
})

describe('provider keys', () => {
  test('refuses a key for a runtime that has accounts or does not exist', async () => {
    expectProblem(await app.post(`/provider_keys/${runtime}`, { key: 'a-provider-key' }), 422, 'Validation failed')
    expectProblem(await app.post('/provider_keys/none', { key: 'a-provider-key' }), 404, 'Not Found')
    expectProblem(await app.delete('/provider_keys/none'), 404, 'Not Found')
    expect((await app.get('/provider_keys')).body).toEqual({ provider_keys: [] })
  })
})
