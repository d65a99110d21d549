import { describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'
import { oneTimeLink } from '../support/one-time-link.ts'

test('a person who is not signed in gives an API key and a name, and lands on the page they asked for', async () => {
  const { key } = sharedServer()
  const { page, faults } = await openPage({ isSignedOut: true })
  await page.goto('/costs?days=7')
  await page.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
  expect(await axe(page)).toEqual([])
  await screenshot(page, 'sign-in')

  await page.getByLabel('API key').fill('not-a-key')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('That is not an API key of this server').waitFor()
  await screenshot(page, 'sign-in-refused')

  await page.getByLabel('API key').fill(key)
  await page.getByLabel('Your name').fill('Grace')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Costs' }).waitFor()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/costs')
  await page.getByRole('button', { name: 'Grace' }).waitFor()
  expect(faults).toEqual([])
})

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('the sign-in page and its refusal have no fault of the policy, of accessibility or of the layout', async () => {
    const { page, faults, goto } = await openPage({ ...look, isSignedOut: true })
    await goto('/sign-in')
    await page.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await page.getByLabel('API key').fill('not-a-key')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('That is not an API key of this server').waitFor()
    await screenshot(page, `sign-in-refused-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  })
})

test('a one-time link signs in once, and its secret does not stay in the address or in the history', async () => {
  const link = await oneTimeLink(sharedServer().home)
  const { page, context } = await openPage({ isSignedOut: true })
  await page.goto(`/${link}`)
  await page.getByRole('heading', { name: 'Board' }).waitFor({ state: 'attached' })
  await expect.poll(() => page.url()).not.toContain('k=')

  await page.goto(`/inbox${await oneTimeLink(sharedServer().home)}`)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await expect.poll(() => page.url()).not.toContain('k=')

  await context.clearCookies()
  await page.goto('about:blank')
  await page.goto(`/${link}`)
  await page.getByRole('alert').waitFor()
  await expect.poll(() => page.url()).not.toContain('k=')
})

test('a person who came by a link is asked once for the name that their messages carry', async () => {
  const link = await oneTimeLink(sharedServer().home)
  const { page, faults } = await openPage({ isSignedOut: true, size: 'phone' })
  await page.goto(`/inbox${link}`)
  const asked = page.getByRole('status').filter({ hasText: 'Your messages to agents carry no name yet' })
  await asked.getByRole('link', { name: 'Say who you are' }).click()
  await page.getByRole('button', { name: 'Change' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Mary')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('main').getByText('Mary', { exact: true }).first().waitFor()
  await page.goto('/inbox')
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  expect(await asked.count()).toBe(0)
  expect(faults).toEqual([])
})

test('a person who signs out sees the sign-in page, and so does every tab whose sign-in has ended elsewhere', async () => {
  const { page, context, goto } = await openPage()
  await context.addInitScript(() => {
    // Without the reads at intervals: the end of the event stream alone must do.
    const every = window.setInterval
    const patched = (act: () => void, ms = 0) => every(act, ms >= 10_000 ? 2 ** 30 : ms)
    Object.assign(window, { setInterval: patched })
  })
  await goto('/inbox')
  const other = await context.newPage()
  await other.goto('/settings')
  await other.getByText('live', { exact: true }).waitFor()
  const third = await context.newPage()
  await third.goto('/catalog')
  await third.getByText('live', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()

  for (const tab of [other, third]) await tab.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
  await expect.poll(() => new URL(other.url()).searchParams.get('next')).toBe('/settings')
})
