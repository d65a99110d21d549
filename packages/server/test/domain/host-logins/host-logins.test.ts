import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { refreshTokens } from '../../../src/domain/accounts/refresh.ts'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const file = join(tmpdir(), `host-login-${randomUUID()}.json`)
const { app, vendor, clear, add, account, another } = accountsApp({ environment: { RUNTIME_ALPHA_LOGIN: file } })
const marker = `${file}.account`
afterEach(async () => {
  for (const path of [file, marker]) await rm(path, { force: true })
  // After a run that an event has started and that still has the files.
  await runPeriodic(app.app, 'follow_host_logins')
  await clear()
})
afterAll(() => rm(file, { force: true }))

const accounts = async () => (await app.get('/accounts')).body.accounts

test('takes over a newer login of the host for the account that the file beside it names', async () => {
  const id = await add('host@example.test', { minutes: 60 })
  await writeFile(file, vendor.loginFile('host@example.test', 120))
  await writeFile(marker, 'host@example.test\n')
  const before = await account(id)
  await runPeriodic(app.app, 'follow_host_logins')
  expect((await account(id)).expires_at).not.toBe(before.expires_at)
})

test('copies nothing from the host without a name, without accounts, or if the stored login is newer', async () => {
  await writeFile(file, vendor.loginFile('host@example.test', 30))
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'follow_host_logins')
  expect(await accounts()).toEqual([])
  const id = await add('host@example.test', { minutes: 60 })
  const before = await account(id)
  await runPeriodic(app.app, 'follow_host_logins')
  expect(await account(id)).toMatchObject({ expires_at: before.expires_at })
  await rm(marker)
  await writeFile(file, vendor.loginFile('host@example.test', 240))
  await runPeriodic(app.app, 'follow_host_logins')
  expect(await account(id)).toMatchObject({ expires_at: before.expires_at })
})

test('a newer login of the host does not give an account its spent quota back', async () => {
  const id = await add('host@example.test', { minutes: 60 })
  await app.pool.query(
    `update accounts set status = 'quota_exceeded', status_reason = 'The quota is spent.', quota_resets_at = now() + interval '1 hour'`,
  )
  const before = await account(id)
  await writeFile(file, vendor.loginFile('host@example.test', 120))
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'follow_host_logins')
  const { status, status_reason, quota_resets_at } = before
  const after = await account(id)
  expect(after.expires_at).not.toBe(before.expires_at)
  expect(after).toMatchObject({ status, status_reason, quota_resets_at, is_current: false })
  await add('host@example.test')
  expect(await account(id)).toMatchObject({ status: 'active', quota_resets_at: null, is_current: true })
})

test('a sign-in on the host revives an account that has to be signed in', async () => {
  const id = await add('host@example.test')
  vendor.next({ status: 401, body: {} })
  await refreshTokens(app.app, id)
  expect(await account(id)).toMatchObject({ status: 'needs_reauth' })
  await writeFile(file, vendor.loginFile('host@example.test'))
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'follow_host_logins')
  expect(await account(id)).toMatchObject({ status: 'active' })
})

const written = async () => JSON.parse(await readFile(file, 'utf8'))
const refreshToken = (text: string): string => JSON.parse(text).claudeAiOauth.refreshToken

/** The file of this host with a login of the account, which the pool takes over. Returns the login and the account. */
async function adopted(minutes?: number): Promise<{ text: string; id: number }> {
  await add('other@example.test')
  const text = vendor.loginFile('host@example.test', minutes)
  await writeFile(file, text)
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'follow_host_logins')
  const { id } = (await accounts()).find(({ email }: { email: string }) => email === 'host@example.test')
  return { text, id }
}

/** Until the file holds another refresh token than this one. */
const isReplaced = (text: string) => eventually(written, ({ claudeAiOauth }) => claudeAiOauth.refreshToken !== text)

describe('the login file of a host', () => {
  test('gets the new pair after a refresh on the same host, readable by our user only, and keeps its other fields', async () => {
    const { text, id } = await adopted()
    await writeFile(file, JSON.stringify({ ...JSON.parse(text), mcpOAuth: { a: 1 } }))
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    expect(await isReplaced(refreshToken(text))).toMatchObject({ mcpOAuth: { a: 1 } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await refreshTokens(app.app, id)).toBe('renewed')
  })

  // A clock that is ahead writes an expiry that is later than that of every later token.
  test.each([60, 5000])(
    'gets the new pair after a refresh on another host, if it said that it expires in %d minutes',
    async (minutes) => {
      const { text, id } = await adopted(minutes)
      const other = await another()
      expect(await refreshTokens(other, id)).toBe('renewed')
      await runPeriodic(app.app, 'follow_host_logins')
      const { claudeAiOauth: first } = await isReplaced(refreshToken(text))
      expect(await refreshTokens(other, id)).toBe('renewed')
      // The vendor accepted the token that this file got.
      expect(vendor.refreshes).toEqual([refreshToken(text), first.refreshToken])
      await isReplaced(first.refreshToken)
      expect(await account(id)).toMatchObject({ status: 'active', stale_refresh_failures: 0 })
    },
  )

  test('gets the pair of a host that was refreshed while this one was down', async () => {
    const { text, id } = await adopted()
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    await isReplaced(refreshToken(text))
    await writeFile(file, text)
    await runPeriodic(app.app, 'follow_host_logins')
    expect((await written()).claudeAiOauth.refreshToken).not.toBe(refreshToken(text))
  })

  test('stays as it is if its login was never the account’s', async () => {
    const id = await add('host@example.test', { minutes: 60 })
    const own = vendor.loginFile('host@example.test', 30)
    await writeFile(file, own)
    await writeFile(marker, 'host@example.test')
    expect(await refreshTokens(app.app, id)).toBe('renewed')
    await runPeriodic(app.app, 'follow_host_logins')
    expect(await readFile(file, 'utf8')).toBe(own)
  })

  test('does not give an account that has to be signed in a login which it had before', async () => {
    const { text, id } = await adopted()
    await add('host@example.test')
    await isReplaced(refreshToken(text))
    vendor.next({ status: 401, body: {} })
    await refreshTokens(app.app, id)
    await writeFile(file, text)
    await runPeriodic(app.app, 'follow_host_logins')
    expect(await account(id)).toMatchObject({ status: 'needs_reauth' })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('does not bring a deleted account back until a person signs in there again', async () => {
    const { text, id } = await adopted()
    expect(await app.delete(`/accounts/${id}`)).toMatchObject({ status: 204 })
    await runPeriodic(app.app, 'follow_host_logins')
    expect(await accounts()).toMatchObject([{ email: 'other@example.test' }])
    expect(await readFile(file, 'utf8')).toBe(text)
    await writeFile(file, vendor.loginFile('host@example.test'))
    await runPeriodic(app.app, 'follow_host_logins')
    expect(await accounts()).toHaveLength(2)
  })

  test('is the account’s again after a person pastes the same login', async () => {
    const { text, id } = await adopted()
    await app.delete(`/accounts/${id}`)
    const order = { runtime: 'runtime_alpha', email: 'host@example.test', credentials: text }
    const again = (await app.post('/accounts', order)).body.account.id
    expect(await refreshTokens(app.app, again)).toBe('renewed')
    await isReplaced(refreshToken(text))
  })

  test.each([
    ['a name that is too long', 'x'.repeat(3000)],
    ['a name with NUL', 'a\0b@example.test'],
  ])('with %s beside it is left alone', async (_, name) => {
    await add('other@example.test')
    await writeFile(file, vendor.loginFile('host@example.test'))
    await writeFile(marker, name)
    await runPeriodic(app.app, 'follow_host_logins')
    expect(await accounts()).toHaveLength(1)
  })
})
