import { afterEach, describe, expect, test } from 'vitest'
import { insertUse } from '../../../src/domain/accounts/account-store.ts'
import { vendorOf } from '../../../src/domain/accounts/add-account.ts'
import { settleFailure } from '../../../src/domain/accounts/settle-failure.ts'
import { served } from '../../../src/runtimes/accounts/vendor-accounts.ts'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { atRest } from '../../support/sessions/demo-session.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const { app, vendor, rows, clear, add, account, begin } = accountsApp()
afterEach(clear)

const session = async (id: number): Promise<Record<string, unknown>> => (await app.get(`/sessions/${id}`)).body.session

const isParked = (id: number) =>
  eventually(
    () => session(id),
    ({ metadata }) => (metadata as Record<string, unknown>).auth_outage_reason !== undefined,
  )

describe('rotation', () => {
  test('serves a turn by the current account, and leaves no login on disk after it', async () => {
    await add('one@example.test')
    const id = await begin('hello')
    expect(await atRest(app, id)).toMatchObject({
      status: 'needs_input',
      metadata: { auth_identity_email: 'one@example.test' },
    })
    expect(vendor.answered).toEqual([{ account: 'one@example.test', prompt: 'hello' }])
    expect(vendor.refreshes).toEqual([])
    const { execFileSync } = await import('node:child_process')
    expect(execFileSync('sh', ['-c', `grep -rl sk-ant- ${app.home} || true`], { encoding: 'utf8' })).toBe('')
  })

  test('a quota error in ten running sessions rotates once, and all ten go on with nothing lost or doubled', async () => {
    const one = await add('one@example.test')
    await add('two@example.test')
    vendor.spend('one@example.test')
    vendor.gather(10)
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) => begin(`task ${n}`, { scheduling_class: 'priority' })),
    )
    for (const id of ids) expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(
      await rows(`select reason, rotated_to_email, source from account_rotations where rotated_from_id is not null`),
    ).toEqual([{ reason: 'quota_exceeded', rotated_to_email: 'two@example.test', source: 'automatic' }])
    expect(await account(one)).toMatchObject({ status: 'quota_exceeded', quota_hit_count: 1 })
    expect(vendor.answered).toHaveLength(10)
    expect(vendor.answered.every(({ account: payer }) => payer === 'two@example.test')).toBe(true)
    for (const id of ids) {
      const turns = await rows('select source, outcome from turns where session_id = $1 order by sequence', [id])
      expect(turns).toEqual([
        { source: 'create', outcome: 'interrupted' },
        { source: 'recovery', outcome: 'completed' },
      ])
    }
  })

  test('a next account whose login the vendor refuses is passed over, and the third one serves', async () => {
    const [one, two, three] = [
      await add('one@example.test'),
      await add('two@example.test', { priority: 1 }),
      await add('three@example.test', { priority: 2 }),
    ]
    vendor.spend('one@example.test')
    vendor.revoke('two@example.test')
    const id = await begin('hello')
    expect(await atRest(app, id)).toMatchObject({
      status: 'needs_input',
      metadata: { auth_identity_email: 'three@example.test' },
    })
    expect(await account(one)).toMatchObject({ status: 'quota_exceeded', is_current: false })
    expect(await account(two)).toMatchObject({ status: 'needs_reauth', is_current: false })
    expect(await account(three)).toMatchObject({ status: 'active', is_current: true })
    expect(vendor.answered.map(({ account: payer }) => payer)).toEqual(['three@example.test'])
    expect(
      await rows('select rotated_to_email, reason from account_rotations where rotated_from_id is not null'),
    ).toEqual([{ rotated_to_email: 'three@example.test', reason: 'quota_exceeded' }])
  })

  test('a priority that changes while the next account is proven holds from the next rotation on', async () => {
    await add('one@example.test')
    await add('two@example.test', { priority: 1 })
    const three = await add('three@example.test', { priority: 2 })
    vendor.spend('one@example.test')
    vendor.onRefresh(async () => {
      expect(await app.patch(`/accounts/${three}`, { priority: 0 })).toMatchObject({ status: 200 })
    })
    const first = await begin('hello')
    expect(await atRest(app, first)).toMatchObject({ metadata: { auth_identity_email: 'two@example.test' } })
    await add('four@example.test', { priority: 1 })
    vendor.spend('two@example.test')
    const second = await begin('hello')
    expect(await atRest(app, second)).toMatchObject({ metadata: { auth_identity_email: 'three@example.test' } })
  })

  test('an account that is deleted while it is proven does not serve, and the one after it does', async () => {
    await add('one@example.test')
    const two = await add('two@example.test', { priority: 1 })
    await add('three@example.test', { priority: 2 })
    vendor.spend('one@example.test')
    let deletion: ReturnType<typeof app.delete> | undefined
    vendor.onRefresh(async (email) => {
      if (email === 'two@example.test') deletion ??= app.delete(`/accounts/${two}`)
    })
    const id = await begin('hello')
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(await deletion).toMatchObject({ status: 204 })
    expect((await app.get('/accounts')).body.accounts).toMatchObject([
      { email: 'one@example.test', is_current: false },
      { email: 'three@example.test', is_current: true },
    ])
    expect(await rows('select from account_refreshes')).toEqual([])
    const again = await begin('hello')
    expect(await atRest(app, again)).toMatchObject({ metadata: { auth_identity_email: 'three@example.test' } })
  })

  test('a turn whose account is deleted while it runs goes on with the next account when its quota is spent', async () => {
    const one = await add('one@example.test')
    await add('two@example.test', { priority: 1 })
    vendor.spend('one@example.test')
    vendor.gather(2)
    const id = await begin('first', { scheduling_class: 'priority' })
    await eventually(
      async () => vendor.gathered(),
      (count) => count === 1,
    )
    expect(await app.delete(`/accounts/${one}`)).toMatchObject({ status: 204 })
    const other = await begin('second', { scheduling_class: 'priority' })
    for (const each of [id, other])
      expect(await atRest(app, each)).toMatchObject({
        status: 'needs_input',
        metadata: { auth_identity_email: 'two@example.test' },
      })
    expect(vendor.answered).toHaveLength(2)
  })

  test('records no use of an account that is gone', async () => {
    const id = await add('one@example.test')
    const sessionId = await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
    expect(await insertUse(app.app.db, { marker: 'a-run', accountId: id, sessionId })).toBe(true)
    await app.delete(`/accounts/${id}`)
    expect(await insertUse(app.app.db, { marker: 'a-run', accountId: id, sessionId })).toBe(false)
    expect(await rows('select from account_uses')).toEqual([])
  })

  test('a rejected login is refreshed once for all, and the turn goes on with the same account', async () => {
    const id = await add('one@example.test')
    // The vendor forgets the access token early, and still knows the refresh token.
    const { access } = vendor.issue('unknown')
    vendor.revoke('unknown')
    const opened = JSON.parse(vendor.loginFile('one@example.test'))
    opened.claudeAiOauth.accessToken = access
    await app.post('/accounts', {
      runtime: 'runtime_alpha',
      email: 'one@example.test',
      credentials: JSON.stringify(opened),
    })
    // Adding it measures it, which refreshes a login that the vendor rejects.
    expect(vendor.refreshes).toHaveLength(1)
    const started = await begin('hello')
    expect(await atRest(app, started)).toMatchObject({ status: 'needs_input' })
    expect(await account(id)).toMatchObject({ status: 'active', is_current: true })
  })

  test('an empty pool parks the session with the reason and an estimate, and a cleared window wakes it', async () => {
    const one = await add('one@example.test')
    vendor.spend('one@example.test')
    const id = await begin('hello', { scheduling_class: 'priority' })
    const parked = await isParked(id)
    expect(parked).toMatchObject({
      status: 'waiting',
      metadata: { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: expect.any(String) },
    })
    expect((await app.get('/account_pools')).body.account_pools).toContainEqual(
      expect.objectContaining({ runtime: 'runtime_alpha', available_count: 0, parked_session_count: 1 }),
    )
    const { auth_health: health } = await healthReport(app)
    expect(health).toMatchObject({ serviceable_accounts: 0, status: { status: 'critical' } })
    vendor.spend('one@example.test', false)
    await app.pool.query('update accounts set quota_resets_at = now() where id = $1', [one])
    await runPeriodic(app.app, 'sample_quotas')
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect((await session(id)).metadata).not.toHaveProperty('auth_outage_reason')
    expect(vendor.answered).toHaveLength(1)
  })

  test('a pool whose only account has to be signed in parks as auth_unrecoverable until a person signs in', async () => {
    const id = await add('one@example.test')
    vendor.revoke('one@example.test')
    const started = await begin('hello', { scheduling_class: 'priority' })
    expect(await isParked(started)).toMatchObject({ metadata: { auth_outage_reason: 'auth_unrecoverable' } })
    expect(await account(id)).toMatchObject({ status: 'needs_reauth' })
    await add('one@example.test')
    expect(await atRest(app, started)).toMatchObject({ status: 'needs_input' })
  })

  test('a dead account whose refresh succeeds again serves, and the sessions that waited for a sign-in go on', async () => {
    const one = await add('one@example.test')
    vendor.next({ status: 401, body: {} })
    await app.post(`/accounts/${one}/refresh`)
    const id = await begin('hello', { scheduling_class: 'priority' })
    expect(await isParked(id)).toMatchObject({ metadata: { auth_outage_reason: 'auth_unrecoverable' } })
    await app.pool.query('update accounts set retry_refresh_at = now()')
    await runPeriodic(app.app, 'refresh_accounts')
    expect(await account(one)).toMatchObject({ status: 'active', status_reason: null, is_current: true })
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
  })

  test('adopts a token that was refreshed meanwhile three times for nothing; further adoptions count as attempts', async () => {
    const accountId = await add('one@example.test')
    const sessionId = await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
    const rejected = vendorOf(app.app, 'runtime_alpha').readLogin(vendor.loginFile('one@example.test'))
    if (!rejected) throw new Error('the login of the vendor cannot be read')
    const fail = async (): Promise<string> => {
      const signal = { kind: 'login_rejected' as const }
      const { kind } = await settleFailure(app.app, {
        runtime: 'runtime_alpha',
        sessionId,
        accountId,
        login: served(rejected),
        end: { kind: 'failed', reason: 'auth', detail: 'API Error: 401', signal },
      })
      return kind
    }
    for (let n = 0; n < 6; n += 1) expect(await fail()).toBe('continue')
    expect(await fail()).toBe('fail')
    expect(await rows('select kind, count(*)::int from account_attempts group by kind order by kind')).toEqual([
      { kind: 'adoption', count: 7 },
      { kind: 'rejection', count: 4 },
    ])
    await app.pool.query(`update account_attempts set attempted_at = now() - interval '16 minutes'`)
    expect(await fail()).toBe('continue')
    expect(vendor.refreshes).toEqual([])
  })

  test('a token endpoint that is down is asked once before its retry, and parked sessions go on when it is back', async () => {
    const one = await add('one@example.test')
    await app.pool.query(`update accounts set expires_at = now() - interval '1 minute'`)
    vendor.down()
    const ids = [
      await begin('first', { scheduling_class: 'priority' }),
      await begin('second', { scheduling_class: 'priority' }),
    ]
    for (const id of ids)
      expect(await isParked(id)).toMatchObject({
        status: 'waiting',
        metadata: { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: expect.any(String) },
      })
    expect((await app.get('/account_pools')).body.account_pools).toContainEqual(
      expect.objectContaining({
        runtime: 'runtime_alpha',
        available_count: 0,
        recovers_at: expect.any(String),
        needs_reauth_count: 0,
        parked_session_count: 2,
      }),
    )
    const [waits] = await rows(
      'select account_pools.recovers_at = accounts.retry_refresh_at as is_retry from accounts, account_pools',
    )
    expect(waits).toEqual({ is_retry: true })
    for (const name of ['wake_parked_sessions', 'refresh_accounts', 'sample_quotas', 'wake_parked_sessions'])
      await runPeriodic(app.app, name)
    expect(vendor.refreshes).toHaveLength(1)
    expect(await account(one)).toMatchObject({ status: 'active', is_current: true, is_available: false })

    const retryIsDue = () => app.pool.query('update accounts set retry_refresh_at = now()')
    await retryIsDue()
    await runPeriodic(app.app, 'refresh_accounts')
    await runPeriodic(app.app, 'wake_parked_sessions')
    expect(vendor.refreshes).toHaveLength(2)
    vendor.down(false)
    await retryIsDue()
    await runPeriodic(app.app, 'refresh_accounts')
    for (const id of ids) expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect(vendor.refreshes).toHaveLength(3)
    expect(vendor.answered.map(({ prompt }) => prompt).toSorted()).toEqual(['first', 'second'])
    const woken = await rows(
      `select session_id from session_logs where content like 'An account can serve again%' order by 1`,
    )
    expect(woken.map(({ session_id }) => Number(session_id)).filter((id) => ids.includes(id))).toEqual(ids)
  })

  test('a login that is rejected while the token endpoint is down parks the session instead of failing it', async () => {
    await add('one@example.test')
    vendor.down()
    vendor.forgetAccess('one@example.test')
    const id = await begin('hello', { scheduling_class: 'priority' })
    expect(await isParked(id)).toMatchObject({ metadata: { auth_outage_reason: 'quota_exhausted' } })
    expect(vendor.refreshes).toHaveLength(1)
    vendor.down(false)
    await app.pool.query('update accounts set retry_refresh_at = now()')
    await runPeriodic(app.app, 'refresh_accounts')
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
  })

  test('wakes at most five priority sessions in a sweep, the longest wait first, and spot ones after them', async () => {
    await add('one@example.test')
    // In one statement: a sweep that an event started would wake the first of them before the others are there.
    const made = await rows(
      `insert into sessions (agent_runtime, genesis, git_root, branch, config, status, scheduling_class, metadata)
       select 'runtime_alpha', 'api', '/none', 'main', '{"model":"claude-sonnet-5"}', 'waiting',
         case when day = 1 then 'spot' else 'priority' end,
         jsonb_build_object('auth_outage_reason', 'quota_exhausted', 'auth_outage_parked_at', '2026-01-0' || day || 'T00:00:00Z')
       from generate_series(7, 1, -1) as day
       returning id`,
    )
    const [spot, ...ids] = made.map(({ id }) => Number(id)).toReversed()
    const stillParked = async (): Promise<number[]> =>
      (await rows(`select id from sessions where metadata ? 'auth_outage_reason' order by id`)).map(({ id }) =>
        Number(id),
      )
    await runPeriodic(app.app, 'wake_parked_sessions')
    const left = await stillParked()
    // A sweep that an event started may have woken these two already, or one of them.
    expect([spot, ids[5]]).toEqual(expect.arrayContaining(left))
    await runPeriodic(app.app, 'wake_parked_sessions')
    expect(await stillParked()).toEqual([])
  })

  test('holds spot turns while the accounts have used the target of a window, and starts them when it is raised', async () => {
    vendor.use.set('one@example.test', { fiveHour: 0.85, weekly: 0.1 })
    await add('one@example.test')
    await app.patch('/settings', { spot_gating_enabled: true })
    const id = await begin('hello', { scheduling_class: 'spot' })
    const held = await eventually(
      () => session(id),
      ({ metadata }) => (metadata as Record<string, unknown>).spot_hold_reason !== undefined,
    )
    expect(held).toMatchObject({ metadata: { spot_hold_reason: 'at_utilization_limit' } })
    await app.patch('/settings', { spot_gate_five_hour_threshold_pct: 90 })
    expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    await app.patch('/settings', { spot_gating_enabled: false, spot_gate_five_hour_threshold_pct: 80 })
    vendor.use.clear()
  })

  test('a reading at the target stops running spot turns and not priority ones, and a reading below it lets them go on', async () => {
    const one = await add('one@example.test')
    await app.patch('/settings', { spot_gating_enabled: true })
    // The vendor answers when four prompts wait: the two of now, that of the continued turn, and one that lets it go.
    vendor.gather(4)
    const spot = await begin('spot work', { scheduling_class: 'spot' })
    const priority = await begin('priority work', { scheduling_class: 'priority' })
    await eventually(
      async () => vendor.gathered(),
      (count) => count === 2,
    )
    vendor.use.set('one@example.test', { fiveHour: 0.85, weekly: 0.1 })
    expect(await app.post(`/accounts/${one}/refresh`, {})).toMatchObject({ status: 200 })
    await runPeriodic(app.app, 'sample_quotas')
    const paused = await eventually(
      () => session(spot),
      ({ metadata }) => (metadata as Record<string, unknown>).spot_pause_at !== undefined,
    )
    expect(paused).toMatchObject({ status: 'waiting', metadata: { paused_by: 'spot_quota', spot_pause_count: 1 } })
    await eventually(
      () => rows(`select from turns where session_id = $1 and state = 'queued'`, [spot]),
      ({ length }) => length === 1,
    )
    expect(await session(priority)).toMatchObject({ status: 'running' })
    vendor.use.set('one@example.test', { fiveHour: 0.2, weekly: 0.1 })
    await runPeriodic(app.app, 'sample_quotas')
    const last = await begin('another', { scheduling_class: 'priority' })
    for (const id of [spot, priority, last]) expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
    expect((await session(spot)).metadata).not.toHaveProperty('spot_pause_at')
    expect(await rows('select source, outcome from turns where session_id = $1 order by sequence', [spot])).toEqual([
      { source: 'create', outcome: 'interrupted' },
      { source: 'recovery', outcome: 'completed' },
    ])
    await app.patch('/settings', { spot_gating_enabled: false })
    vendor.use.clear()
  })
})
