import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Vendor } from '../../../server/test/support/accounts/vendor-server.ts'
import { axe, openPage, overflows, screenshot } from '../support/browser.ts'
import type { Server } from '../support/launch-server.ts'
import { launchWithVendor } from '../support/launch-with-vendor.ts'

let vendor: Vendor
let server: Server
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ vendor, server, stop } = await launchWithVendor())
})
afterAll(() => stop())

test('an account is added by its login file, gets a priority, is put into use, refreshed and deleted', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=runtime_alpha')
  await page.getByText('No account yet').waitFor()
  for (const email of ['first@example.test', 'second@example.test']) {
    vendor.use.set(email, { fiveHour: 0.42, weekly: 0.9 })
    await page.getByRole('button', { name: 'Add by a login file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Login file or token').fill(vendor.loginFile(email))
    await dialog.getByLabel('Name').fill(email)
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await page.getByText(`${email} is added`).waitFor()
  }
  const accounts = page.getByRole('list', { name: 'Accounts' })
  const second = accounts.getByRole('listitem').filter({ hasText: 'second@example.test' })
  const act = async (item: string) => {
    await second.getByRole('button', { name: 'Actions of second@example.test' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await act('Change the priority')
  await page.getByRole('dialog').getByLabel('Priority').fill('7')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await second.getByText('Priority 7').waitFor()
  await act('Refresh')
  await page.getByText('second@example.test is measured again').waitFor()
  await second.getByText('42 %').waitFor()
  await act('Use it for new turns')
  await page.getByText('New turns use second@example.test').waitFor()
  await second.getByText('in use').waitFor()
  await page.getByText('because someone switched').waitFor()
  await screenshot(page, 'inference')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await act('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await second.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a person signs in by the vendor’s own login: a wrong code is told, and a right one adds the account', async () => {
  const { page, faults, goto } = await openPage({ server, size: 'phone', theme: 'dark' })
  await goto('/inference?runtime=runtime_alpha')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the account').fill('third@example.test')
  await dialog.getByRole('button', { name: 'Begin' }).click()
  await dialog.getByRole('link', { name: /Open the vendor/ }).waitFor()
  await screenshot(page, 'inference-sign-in-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await dialog.getByLabel('Code').fill('bad-code')
  await dialog.getByRole('button', { name: 'Send the code' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByLabel('Code').fill('good-code')
  await dialog.getByRole('button', { name: 'Send the code' }).click()
  await page.getByText('third@example.test is signed in').waitFor()
  await page.getByRole('list', { name: 'Accounts' }).getByText('third@example.test').waitFor()
  expect(faults).toEqual([])
})

test('a sign-in whose dialog is closed at once is canceled', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=runtime_alpha')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the account').fill('fourth@example.test')
  // The attempt begins when the dialog is gone.
  await page.route('**/login_attempts', async (route) => {
    await dialog.waitFor({ state: 'detached' })
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Begin' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect
    .poll(async () => {
      const { login_attempts } = await server.call<{ login_attempts: { status: string }[] }>('GET', '/login_attempts')
      return login_attempts[0]?.status
    })
    .toBe('canceled')
  expect(faults).toEqual([])
})

test('a key of a runtime without accounts is stored and deleted, and never shown', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference?runtime=keyed')
  await page.getByLabel('Key', { exact: true }).fill('a-provider-key-of-this-test')
  // Unlike other forms this one keeps no draft.
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a-provider-key-of-this-test')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByText('A key is stored').waitFor()
  expect(await page.content()).not.toContain('a-provider-key-of-this-test')
  await page.getByRole('button', { name: 'Delete the key' }).click()
  await page.getByText('No key is stored').waitFor()
  expect(faults).toEqual([])
})

test('the spot policy is changed beside the quotas that it reads', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/inference')
  const field = page.getByLabel('Weekly quota, percent')
  await field.fill('61')
  await field.press('Enter')
  await page.getByText('Saved').waitFor()
  const { settings } = await server.call<{ settings: Record<string, unknown> }>('GET', '/settings')
  expect(settings.spot_gate_weekly_threshold_pct).toBe(61)
  expect(faults).toEqual([])
})
