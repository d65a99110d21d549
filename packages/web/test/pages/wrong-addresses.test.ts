import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

test('an address without a page keeps the rail, and offers the board', async () => {
  const { page, goto, faults } = await openPage()
  await goto('/no-such-page')
  await page.getByText('There is no page at this address').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Costs' }).waitFor()
  await page.getByRole('link', { name: 'Open the board' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  expect(faults).toEqual([])
})

test('a session that does not exist is named, with a way to look for it', async () => {
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await goto('/sessions/99999999')
  await page.getByText('There is no session 99999999').waitFor()
  await screenshot(page, 'no-session-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.waitForURL(/\/search$/)
  expect(faults).toEqual([])
})

test('a tab that does not exist opens no empty sheet', async () => {
  const { id } = await makeSession('Has no such tab')
  const { page, goto } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}?tab=nonsense`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.getByRole('button', { name: 'Actions', exact: true }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('the selected tab is in sight where the tabs are wider than the window', async () => {
  const { page, goto } = await openPage({ size: 'phone' })
  await page.setViewportSize({ width: 320, height: 700 })
  await goto('/backlog?status=removed')
  const tab = page.getByRole('tab', { name: /Removed/ })
  await expect
    .poll(async () => {
      const box = await tab.boundingBox()
      return Number(box?.x) + Number(box?.width)
    })
    .toBeLessThanOrEqual(320)
})

test('the Back button leaves a list whose page number is gone', async () => {
  const { page, goto } = await openPage()
  for (const path of ['/triggers', '/backlog', '/outcomes', '/gate_decisions']) {
    await goto('/settings')
    await goto(`${path}?page=9`)
    await page.waitForURL((url) => url.pathname === path && !url.search.includes('9'))
    await page.goBack()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  }
})
