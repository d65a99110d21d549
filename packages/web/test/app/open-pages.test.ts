import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, startServer } from '../support/browser.ts'

test('with WEB_AUTH=none pages open without a sign-in, say so, and record who writes once a name is given', async () => {
  const server = await startServer({ environment: { WEB_AUTH: 'none' } })
  const { page, goto, faults } = await openPage({ server, isSignedOut: true, size: 'phone', theme: 'dark' })
  const warning = page.getByText('Anyone who reaches this server can do everything here (WEB_AUTH=none).')
  for (const path of ['/', '/inbox', '/sessions/new', '/costs', '/settings']) {
    await goto(path)
    await warning.waitFor()
    expect({ path, faults: await axe(page) }).toEqual({ path, faults: [] })
    expect({ path, faults: await overflows(page) }).toEqual({ path, faults: [] })
  }
  await screenshot(page, 'open-pages-phone')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Not given yet').waitFor({ state: 'detached' })
  await goto('/')
  await page.getByText('No sessions yet').waitFor()
  expect(await page.getByText('Uncategorized').count()).toBe(0)
  await page.getByRole('textbox', { name: /^Start a session/ }).fill('say Hello')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('Started “say Hello”').waitFor()
  await page.getByRole('status').getByRole('link', { name: 'Open' }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  const shown = await server.call('GET', new URL(page.url()).pathname)
  expect(shown).toMatchObject({ human_messages: [{ author: 'ada', content: 'say Hello' }] })
  expect(faults).toEqual([])
})
