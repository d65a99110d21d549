import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Vendor } from '../../../server/test/support/accounts/vendor-server.ts'
import { axe, openPage, overflows, screenshot } from '../support/browser.ts'
import type { Server } from '../support/launch-server.ts'
import { launchWithVendor } from '../support/launch-with-vendor.ts'

type Account = { id: number; email: string; status: string; is_current: boolean; quota: { utilization_5h: number } }

let vendor: Vendor
let server: Server
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ vendor, server, stop } = await launchWithVendor())
})
afterAll(() => stop())

async function addAccount(email: string): Promise<Account> {
  const body = { runtime: 'runtime_alpha', email, credentials: vendor.loginFile(email) }
  return (await server.call<{ account: Account }>('POST', '/accounts', body)).account
}

async function accounts(): Promise<Account[]> {
  return (await server.call<{ accounts: Account[] }>('GET', '/accounts?runtime=runtime_alpha')).accounts
}

async function settings(): Promise<Record<string, unknown>> {
  return (await server.call<{ settings: Record<string, unknown> }>('GET', '/settings')).settings
}

test('all accounts are measured again by one button', async () => {
  const emails = ['north@example.test', 'south@example.test']
  for (const email of emails) await addAccount(email)
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=runtime_alpha')
  const list = page.getByRole('list', { name: 'Accounts' })
  await list.getByText('south@example.test').waitFor()
  for (const [index, email] of emails.entries()) vendor.use.set(email, { fiveHour: 0.51 + index / 100, weekly: 0.3 })
  await page.getByRole('button', { name: 'Refresh all' }).click()
  await page.getByText('All accounts are measured again').waitFor()
  for (const [email, share] of [
    ['north@example.test', '51 %'],
    ['south@example.test', '52 %'],
  ])
    await list.getByRole('listitem').filter({ hasText: email }).getByText(String(share)).waitFor()
  const measured = Object.fromEntries((await accounts()).map(({ email, quota }) => [email, quota.utilization_5h]))
  expect(measured).toMatchObject({ 'north@example.test': 0.51, 'south@example.test': 0.52 })
  expect(faults).toEqual([])
})

test('an account that the vendor refuses is signed in again under its name', async () => {
  const email = 'good-again@example.test'
  const { id } = await addAccount(email)
  const { page, faults, goto } = await openPage({ server, size: 'phone', theme: 'dark' })
  await goto('/inference?runtime=runtime_alpha')
  const row = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem').filter({ hasText: email })
  await row.getByText('active', { exact: true }).waitFor()
  vendor.revoke(email)
  await row.getByRole('button', { name: `Actions of ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Refresh' }).click()
  await row.getByText('sign in again', { exact: true }).waitFor()
  await page.getByText('1 to sign in again').waitFor()
  await screenshot(page, 'inference-sign-in-again-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await row.getByRole('button', { name: 'Sign in again' }).click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByLabel('Name of the account').inputValue()).toBe(email)
  await dialog.getByRole('button', { name: 'Begin' }).click()
  // The CLI of the tests makes the access token of the code, so that the vendor knows it.
  await dialog.getByLabel('Code').fill(vendor.issue(email).access.replace('sk-ant-oat01-', ''))
  await dialog.getByRole('button', { name: 'Send the code' }).click()
  await page.getByText(`${email} is signed in`).waitFor()
  await row.getByText('active', { exact: true }).waitFor()
  expect((await accounts()).find((account) => account.id === id)).toMatchObject({ email, status: 'active' })
  expect(faults).toEqual([])
})

test('a login file that cannot be read is refused in the dialog, and what was typed stays', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=runtime_alpha')
  const count = (await accounts()).length
  await page.getByRole('button', { name: 'Add by a login file' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Login file or token').fill('{"not": "a login"}')
  await dialog.getByRole('button', { name: 'Add the account' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByLabel('Login file or token').inputValue()).toBe('{"not": "a login"}')
  expect(await accounts()).toHaveLength(count)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the rotations are read page by page, and another runtime begins with its first page', async () => {
  const one = await addAccount('east@example.test')
  const other = await addAccount('west@example.test')
  for (let round = 0; round < 6; round += 1)
    for (const { id } of [one, other]) await server.call('POST', `/accounts/${id}/switch`)
  type Rotations = { account_rotations: { rotated_to_email: string }[]; pagination: { total_count: number } }
  const { pagination } = await server.call<Rotations>('GET', '/account_rotations?runtime=runtime_alpha&per_page=10')
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=runtime_alpha')
  const rows = page.getByRole('list', { name: 'Rotations' }).getByRole('listitem')
  await page.getByText(`1 to 10 of ${pagination.total_count}`).waitFor()
  expect(await rows.count()).toBe(10)
  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?runtime=runtime_alpha&page=2')
  await page.getByText(`11 to ${Math.min(20, pagination.total_count)} of ${pagination.total_count}`).waitFor()
  // The first rotation of all is on the last page.
  await rows.getByText('because it was added').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText(`1 to 10 of ${pagination.total_count}`).waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('tab', { name: 'keyed' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?runtime=keyed')
  await page.getByText('No key is stored').waitFor()
  expect(faults).toEqual([])
})

test('spot sessions are held back or not, at shares of both quotas, and by where sessions come from', async () => {
  const before = await settings()
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference')
  const gate = page.getByRole('switch', { name: /^Hold spot sessions back/ })
  await gate.click()
  await expect.poll(settings).toMatchObject({ spot_gating_enabled: !before.spot_gating_enabled })
  await expect.poll(() => gate.isChecked()).toBe(!before.spot_gating_enabled)
  for (const [label, name, value] of [
    ['5-hour quota, percent', 'spot_gate_five_hour_threshold_pct', 43],
    ['Sessions at once', 'spot_max_concurrent_sessions', 9],
  ] as const) {
    await page.getByLabel(label).fill(String(value))
    await page.getByLabel(label).blur()
    await expect.poll(async () => (await settings())[name]).toBe(value)
  }
  const overrides = async () => (await settings()).genesis_class_overrides
  await page.getByLabel('Class of sessions made here').selectOption('spot')
  await expect.poll(overrides).toEqual({ web_ui: 'spot' })
  await page.getByLabel('Class of sessions of unknown origin').selectOption('spot')
  await expect.poll(overrides).toEqual({ web_ui: 'spot', unknown: 'spot' })
  await page.getByLabel('Class of sessions made here').selectOption('')
  await expect.poll(overrides).toEqual({ unknown: 'spot' })
  await page.getByLabel('Class of sessions of unknown origin').selectOption('')
  await expect.poll(overrides).toEqual({})
  await page.reload()
  await expect.poll(() => page.getByLabel('5-hour quota, percent').inputValue()).toBe('43')
  expect(await gate.isChecked()).toBe(!before.spot_gating_enabled)
  expect(faults).toEqual([])
})

test('a stored key is replaced by another', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=keyed')
  await page.getByLabel('Key', { exact: true }).fill('the-first-key-of-this-test')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByLabel('New key').waitFor()
  await page.getByLabel('New key').fill('the-second-key-of-this-test')
  // Keys are never read, so that the accepted request is what shows the second one.
  const answered = page.waitForResponse((response) => response.url().endsWith('/provider_keys/keyed'))
  await page.getByRole('button', { name: 'Store' }).click()
  const answer = await answered
  expect(answer.request().postDataJSON()).toEqual({ key: 'the-second-key-of-this-test' })
  expect(answer.status()).toBe(200)
  await expect.poll(() => page.getByLabel('New key').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Delete the key' }).click()
  await page.getByText('No key is stored').waitFor()
  const { provider_keys } = await server.call<{ provider_keys: unknown[] }>('GET', '/provider_keys')
  expect(provider_keys).toEqual([])
  expect(faults).toEqual([])
})
