import { afterEach, describe, expect, test } from 'vitest'
import { refreshTokens } from '../../../src/domain/accounts/refresh.ts'
import { serveTurn } from '../../../src/domain/accounts/serve.ts'
import type { App } from '../../../src/domain/app.ts'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import type { TokenAnswer } from '../../support/accounts/vendor-server.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { atRest } from '../../support/sessions/demo-session.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const { app, vendor, rows, clear, add, account, begin, another } = accountsApp()
afterEach(clear)

function serving(host: App, sessionId: number) {
  const runtime = host.runtimes.find('runtime_alpha')
  if (!runtime) throw new Error('the runtime is not registered')
  return { runtime, sessionId }
}

const record = () => rows('select account_id from account_refreshes')

describe('refresh of an account', () => {
  test('fifty callers that need one expired token at once cause one refresh', async () => {
    const id = await add('one@example.test', { minutes: 5 })
    const isDue = (row: { expires_at: Date | null }): boolean =>
      row.expires_at !== null && row.expires_at.getTime() < Date.now() + 15 * 60_000
    await Promise.all(Array.from({ length: 50 }, () => refreshTokens(app.app, id, isDue)))
    expect(vendor.refreshes).toHaveLength(1)
  })

  test('two hosts that need one expired token at once cause one refresh, and both have the new token', async () => {
    const other = await another()
    const id = await add('one@example.test', { minutes: 2 })
    const sessionId = await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
    // The second host asks while the vendor has the token of the first one.
    let second: Promise<unknown> | undefined
    vendor.onRefresh(async () => {
      second ??= serveTurn(other, serving(other, sessionId))
    })
    const first = await serveTurn(app.app, serving(app.app, sessionId))
    expect(first).toMatchObject({ kind: 'account', accountId: id })
    expect(await second).toEqual(first)
    expect(vendor.refreshes).toHaveLength(1)
  })

  test('an account that is deleted while its refresh is under way is gone, and leaves no record of it', async () => {
    const id = await add('one@example.test')
    let deletion: ReturnType<typeof app.delete> | undefined
    vendor.onRefresh(async () => {
      deletion ??= app.delete(`/accounts/${id}`)
    })
    const refreshed = await app.post(`/accounts/${id}/refresh`)
    expect([200, 404]).toContain(refreshed.status)
    expect(await deletion).toMatchObject({ status: 204 })
    expect((await app.get('/accounts')).body.accounts).toEqual([])
    expect(await record()).toEqual([])
    expect(await refreshTokens(app.app, id)).toBe('not_due')
  })

  test('refreshes every five minutes what expires within fifteen, and nothing else', async () => {
    await add('soon@example.test', { minutes: 10 })
    await add('later@example.test', { minutes: 60 })
    await runPeriodic(app.app, 'refresh_accounts')
    expect(vendor.refreshes).toHaveLength(1)
    expect(vendor.refreshes[0]).toContain('soon@')
    expect(await record()).toEqual([])
  })

  const refused = (status: number, error: string, words: string): TokenAnswer => ({
    status,
    body: { error, error_description: words },
  })

  test.each<[string, TokenAnswer]>([
    ['401', { status: 401, body: {} }],
    ['404', { status: 404, body: {} }],
    ['an expired token', refused(400, 'invalid_grant', 'Refresh token expired')],
    ['a revoked token', refused(400, 'invalid_grant', 'Refresh token revoked')],
  ])('%s condemns the account, tells the operator once and moves the pool on', async (_, answer) => {
    await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
    await app.pool.query('delete from notifications')
    const id = await add('one@example.test')
    const two = await add('two@example.test')
    vendor.next(answer, answer)
    const response = await app.post(`/accounts/${id}/refresh`)
    expect(response.body.account).toMatchObject({ status: 'needs_reauth', is_available: false, is_current: false })
    expect(await account(two)).toMatchObject({ is_current: true })
    await app.post(`/accounts/${id}/refresh`)
    expect(await rows(`select notification_type from notifications`)).toEqual([
      { notification_type: 'account_needs_reauth' },
    ])
    expect(await rows(`select name from events where name = 'accounts.needs_reauth'`)).not.toEqual([])
  })

  test('an unknown token is a strike; three at least 15 minutes apart within 6 hours condemn', async () => {
    const id = await add('one@example.test')
    const strike = async (minutesAgo: number): Promise<Record<string, unknown>> => {
      vendor.next(refused(400, 'invalid_grant', 'refresh token reused'))
      await app.pool.query(
        `update accounts set last_stale_refresh_failure_at = now() - make_interval(mins => ${minutesAgo})
         where last_stale_refresh_failure_at is not null`,
      )
      await refreshTokens(app.app, id)
      return account(id)
    }
    expect(await account(id)).toMatchObject({ stale_refresh_failures: 0, last_stale_refresh_failure_at: null })
    expect(await strike(0)).toMatchObject({
      status: 'active',
      stale_refresh_failures: 1,
      last_stale_refresh_failure_at: expect.any(String),
    })
    expect(await strike(5)).toMatchObject({ status: 'active', stale_refresh_failures: 1 })
    expect(await strike(20)).toMatchObject({ status: 'active', stale_refresh_failures: 2 })
    expect(await strike(20)).toMatchObject({ status: 'needs_reauth', stale_refresh_failures: 3 })
  })

  test.each<[string, TokenAnswer]>([
    ['500', { status: 500, body: {} }],
    ['503', { status: 503, body: {} }],
    ['429', { status: 429, body: {} }],
    ['A page of a filter before the vendor', 'blocked'],
  ])('%s changes nothing but the time of the next attempt: after 2, 4 and 8 minutes', async (_, answer) => {
    const id = await add('one@example.test')
    for (const minutes of [2, 4, 8, 8]) {
      vendor.next(answer)
      await refreshTokens(app.app, id)
      const [row] = await rows(
        'select status, round(extract(epoch from retry_refresh_at - now()) / 60)::int as minutes from accounts',
      )
      expect(row).toEqual({ status: 'active', minutes })
    }
    expect(await record()).toEqual([])
    expect(await refreshTokens(app.app, id)).toBe('renewed')
  })

  test.each<TokenAnswer>(['cut', 'garbage', 'endless', 'half an answer', 'spent, then hang'])(
    'an answer that is lost (%s) leaves a record, the next refresh finds the token spent, and the operator is told',
    async (answer) => {
      await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
      await app.pool.query('delete from notifications')
      const id = await add('one@example.test')
      vendor.next(answer)
      expect(await refreshTokens(app.app, id)).toBe('failed')
      expect(await account(id)).toMatchObject({ status: 'active' })
      expect(await record()).toHaveLength(1)
      expect(await refreshTokens(app.app, id)).toBe('needs_reauth')
      expect(await account(id)).toMatchObject({
        status: 'needs_reauth',
        status_reason: expect.stringContaining('The answer to its last refresh was lost.'),
      })
      expect(await record()).toEqual([])
      expect(await rows('select notification_type from notifications')).toEqual([
        { notification_type: 'account_needs_reauth' },
      ])
    },
  )

  test('a token endpoint that hangs before it handles the request costs nothing: the same token is sent again and works', async () => {
    const id = await add('one@example.test')
    vendor.next('hang')
    expect(await refreshTokens(app.app, id)).toBe('failed')
    expect(await account(id)).toMatchObject({ status: 'active' })
    expect(await record()).toHaveLength(1)
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    const [first, second] = vendor.refreshes
    expect(second).toBe(first)
    expect(await record()).toEqual([])
  })

  test.each<TokenAnswer>(['garbage', 'endless', 'redirect'])(
    'a turn that begins while the token endpoint answers %s loses nothing: it is served, by the old token or by the next account',
    async (answer) => {
      await add('one@example.test', { minutes: 1 })
      await add('two@example.test')
      vendor.next(answer)
      const started = await begin('hello')
      expect(await atRest(app, started)).toMatchObject({ status: 'needs_input' })
      expect(vendor.answered).toEqual([{ account: expect.any(String), prompt: 'hello' }])
    },
  )

  test('a new pair is stored although the rest of the answer is garbage', async () => {
    const id = await add('one@example.test')
    const { access, refresh } = vendor.issue('one@example.test')
    const tokens = { access_token: access, refresh_token: refresh }
    vendor.next({ status: 200, body: { ...tokens, expires_in: 'soon', scope: 7, account: 'x' } })
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    expect(await account(id)).toMatchObject({ status: 'active', expires_at: null })
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    expect(vendor.refreshes.at(-1)).toBe(refresh)
  })

  test.each<[string, unknown]>([
    ['a text', '<html>'],
    ['a list', []],
    ['an error of another type', { error: 7, error_description: { a: 1 } }],
    ['words with NUL', { error: 'invalid_grant', error_description: 'a\0b' }],
    ['very long words', { error: 'invalid_grant', error_description: 'x'.repeat(90_000) }],
  ])('a refusal with %s is a strike, and the account serves on', async (_, body) => {
    const id = await add('one@example.test')
    vendor.next({ status: 400, body })
    expect(await refreshTokens(app.app, id)).toBe('failed')
    expect(await account(id)).toMatchObject({ status: 'active', stale_refresh_failures: 1 })
    expect(await record()).toEqual([])
  })

  test('a redirect is never followed, and the token works afterwards', async () => {
    const id = await add('one@example.test')
    vendor.next('redirect')
    expect(await refreshTokens(app.app, id)).toBe('failed')
    expect(await refreshTokens(app.app, id)).toBe('renewed')
  })

  test('a dead account is tried again after 15 minutes, and then after pauses that double up to 6 hours', async () => {
    const id = await add('one@example.test')
    vendor.next({ status: 401, body: {} })
    await refreshTokens(app.app, id)
    for (const [index, minutes] of [15, 30, 60, 120, 240, 360, 360].entries()) {
      const [row] = await rows(
        'select status, round(extract(epoch from retry_refresh_at - now()) / 60)::int as minutes from accounts',
      )
      expect(row).toEqual({ status: 'needs_reauth', minutes })
      await runPeriodic(app.app, 'refresh_accounts')
      expect(vendor.refreshes).toHaveLength(index + 1)
      vendor.next({ status: 401, body: {} })
      await app.pool.query('update accounts set retry_refresh_at = now()')
      await runPeriodic(app.app, 'refresh_accounts')
      expect(vendor.refreshes).toHaveLength(index + 2)
    }
  })

  test('an unknown token or a vendor that does not answer prolongs the pause of a dead account too', async () => {
    const id = await add('one@example.test')
    for (const answer of [{ status: 401, body: {} }, refused(400, 'invalid_grant', 'refresh token reused')]) {
      vendor.next(answer)
      await refreshTokens(app.app, id)
    }
    vendor.down()
    await refreshTokens(app.app, id)
    const [row] = await rows(
      'select status, round(extract(epoch from retry_refresh_at - now()) / 60)::int as minutes from accounts',
    )
    expect(row).toEqual({ status: 'needs_reauth', minutes: 60 })
  })

  test('a dead account without a refresh token is never tried again', async () => {
    const id = await add('one@example.test')
    vendor.next({ status: 401, body: {} })
    await refreshTokens(app.app, id)
    await app.pool.query('update accounts set can_refresh = false, retry_refresh_at = null')
    await runPeriodic(app.app, 'refresh_accounts')
    expect(vendor.refreshes).toHaveLength(1)
  })

  test('the operator is told of a dead account once its runtime has a session to tell it by, and not twice', async () => {
    await app.pool.query(`update sessions set agent_runtime = 'demo'`)
    await app.pool.query('delete from notifications')
    const notices = () => rows('select notification_type from notifications')
    const id = await add('one@example.test')
    vendor.next({ status: 401, body: {} })
    await refreshTokens(app.app, id)
    await runPeriodic(app.app, 'refresh_accounts')
    expect(await notices()).toEqual([])
    expect(await rows('select reauth_notified_at from accounts')).toEqual([{ reauth_notified_at: null }])
    await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
    for (const _ of [1, 2]) await runPeriodic(app.app, 'refresh_accounts')
    expect(await notices()).toEqual([{ notification_type: 'account_needs_reauth' }])
    expect(await rows('select reauth_notified_at from accounts')).toEqual([{ reauth_notified_at: expect.any(Date) }])
  })

  describe('after a host wrote times with a clock that was a day ahead', () => {
    test('a refresh that waits for its retry is due at once', async () => {
      await add('one@example.test', { minutes: 10 })
      await app.pool.query(
        `update accounts set transient_refresh_failures = 1, retry_refresh_at = now() + interval '1 day'`,
      )
      await runPeriodic(app.app, 'refresh_accounts')
      expect(vendor.refreshes).toHaveLength(1)
    })

    test('strikes are counted from the beginning', async () => {
      const id = await add('one@example.test')
      await app.pool.query(
        `update accounts set stale_refresh_failures = 2, first_stale_refresh_failure_at = now() + interval '1 day',
           last_stale_refresh_failure_at = now() + interval '1 day'`,
      )
      vendor.next(refused(400, 'invalid_grant', 'refresh token reused'))
      await refreshTokens(app.app, id)
      expect(await account(id)).toMatchObject({ status: 'active', stale_refresh_failures: 1 })
      const [row] = await rows('select last_stale_refresh_failure_at <= now() as is_past from accounts')
      expect(row).toEqual({ is_past: true })
    })

    test('the operator is told of a dead account', async () => {
      await insertSession(app.pool, { agent_runtime: 'runtime_alpha' })
      await app.pool.query('delete from notifications')
      const id = await add('one@example.test')
      await app.pool.query(`update accounts set reauth_notified_at = now() + interval '1 day'`)
      vendor.next({ status: 401, body: {} })
      await refreshTokens(app.app, id)
      expect(await rows('select from notifications')).toHaveLength(1)
    })
  })

  test('an account whose login cannot be opened keeps neither refreshes nor readings of the others waiting', async () => {
    const broken = await add('broken@example.test', { minutes: 10 })
    const good = await add('good@example.test', { minutes: 10 })
    await app.pool.query('update accounts set login = (select login from accounts where id = $1) where id = $2', [
      good,
      broken,
    ])
    await app.pool.query(`update quota_snapshots set created_at = now() - interval '2 hours'`)
    await runPeriodic(app.app, 'refresh_accounts')
    await runPeriodic(app.app, 'sample_quotas')
    expect(vendor.refreshes).toHaveLength(1)
    expect(await rows(`select account_id::int from quota_snapshots where trigger = 'scheduled'`)).toEqual([
      { account_id: good },
    ])
    // A person replaces it.
    expect(await add('broken@example.test')).toBe(broken)
    expect(await account(broken)).toMatchObject({ status: 'active', is_available: true })
  })

  test('a sign-in makes a condemned account active again and forgets what was held against it', async () => {
    const id = await add('one@example.test')
    vendor.next({ status: 401, body: {} })
    await refreshTokens(app.app, id)
    expect(await account(id)).toMatchObject({ status: 'needs_reauth' })
    expect(await add('one@example.test')).toBe(id)
    expect(await account(id)).toMatchObject({ status: 'active', is_current: true, status_reason: null })
  })
})
