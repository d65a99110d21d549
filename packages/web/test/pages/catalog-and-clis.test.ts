import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot } from '../support/browser.ts'

test('the catalog shows what a root uses, who uses an entry, and is filtered in the address', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/catalog')
  await page.getByText('Sample repository').click()
  await page.getByRole('link', { name: 'first-steps' }).waitFor()
  await screenshot(page, 'catalog-root')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('link', { name: 'first-steps' }).click()
  await page.waitForURL(/kind=plugins/)
  await page.getByRole('link', { name: 'Root sample' }).waitFor()
  for (const name of ['MCP servers', 'Skills', 'Hooks']) {
    await page.getByRole('tab', { name: new RegExp(name) }).click()
    await page.getByRole('tab', { name: new RegExp(name), selected: true }).waitFor()
  }
  await page.getByRole('searchbox', { name: 'Filter' }).fill('nothing like this')
  await page.getByText('Nothing matches “nothing like this”').waitFor()
  await expect.poll(() => page.url()).toContain('find=nothing')
  expect(faults).toEqual([])
})

test('the programs of agents are shown with what to do, checked again, and their caches cleared', async () => {
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/clis')
  await page
    .getByText(/installed/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page
    .getByRole('status')
    .getByText(/check|refresh/i)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Clear caches' }).click()
  await page.getByRole('status').getByText(/cache/i).first().waitFor()
  // Without the vendors' programs there is something to do for each.
  await page
    .getByRole('button', { name: /^Copy what to do for/ })
    .first()
    .waitFor()
  await screenshot(page, 'clis-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})
