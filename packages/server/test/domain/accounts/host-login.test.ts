import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { refreshTokens } from '../../../src/domain/accounts/refresh.ts'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'

const file = join(tmpdir(), `host-login-${randomUUID()}.json`)
const { app, vendor, clear, add, account } = accountsApp({ environment: { RUNTIME_ALPHA_LOGIN: file } })
const marker = `${file}.account`
afterEach(async () => {
  await clear()
  for (const path of [file, marker]) await rm(path, { force: true })
})
afterAll(() => rm(file, { force: true }))

const accounts = async () => (await app.get('/accounts')).body.accounts

test('takes over a newer login of the host for the account that the file beside it names', async () => {
  const id = await add('host@example.test', { minutes: 60 })
  await writeFile(file, vendor.loginFile('host@example.test', 120))
  await writeFile(marker, 'host@example.test\n')
  const before = await account(id)
  await runPeriodic(app.app, 'refresh_accounts')
  expect((await account(id)).expires_at).not.toBe(before.expires_at)
})

test('copies nothing from the host without a name, without accounts, or if the stored login is newer', async () => {
  await writeFile(file, vendor.loginFile('host@example.test', 30))
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'refresh_accounts')
  expect(await accounts()).toEqual([])
  const id = await add('host@example.test', { minutes: 60 })
  const before = await account(id)
  await runPeriodic(app.app, 'refresh_accounts')
  expect(await account(id)).toMatchObject({ expires_at: before.expires_at })
  await rm(marker)
  await writeFile(file, vendor.loginFile('host@example.test', 240))
  await runPeriodic(app.app, 'refresh_accounts')
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
  await runPeriodic(app.app, 'refresh_accounts')
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
  await runPeriodic(app.app, 'refresh_accounts')
  expect(await account(id)).toMatchObject({ status: 'active' })
})

test('writes a refreshed pair back to the file that held the spent one, readable by our user only', async () => {
  await add('other@example.test')
  const text = vendor.loginFile('host@example.test')
  await writeFile(file, text)
  await writeFile(marker, 'host@example.test')
  await runPeriodic(app.app, 'refresh_accounts')
  const adopted = (await accounts()).find(({ email }: { email: string }) => email === 'host@example.test')
  expect(await refreshTokens(app.app, adopted.id)).toBe('renewed')
  const written = JSON.parse(await readFile(file, 'utf8'))
  expect(written.claudeAiOauth.refreshToken).not.toBe(JSON.parse(text).claudeAiOauth.refreshToken)
  expect(await refreshTokens(app.app, adopted.id)).toBe('renewed')
})
