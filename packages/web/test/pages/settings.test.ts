import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

test('settings are saved one by one, and the theme is of this browser', async () => {
  const { call } = sharedServer()
  const read = async () => (await call<{ settings: Record<string, unknown> }>('GET', '/settings')).settings
  const before = await read()
  const { page, faults, goto } = await openPage()
  await goto('/settings')
  await page.getByLabel('Default runtime').selectOption('demo')
  await expect.poll(read).toMatchObject({ default_runtime: 'demo' })
  await page.getByLabel('Sessions at once').fill('17')
  await page.getByLabel('Sessions at once').press('Enter')
  await expect.poll(read).toMatchObject({ spot_max_concurrent_sessions: 17 })
  await page.getByLabel('Class of sessions made by the API').selectOption('priority')
  await expect.poll(read).toMatchObject({ genesis_class_overrides: { api: 'priority' } })
  const search = page.getByRole('switch', { name: /Agents search for tools/ })
  await search.click()
  await expect.poll(read).toMatchObject({ mcp_tool_search_enabled: !before.mcp_tool_search_enabled })
  await page.getByLabel('Sessions at once').fill('1000')
  await page.getByLabel('Sessions at once').press('Enter')
  await page.getByText(/must be less than or equal to 100/).waitFor()
  await page.getByLabel('Theme', { exact: true }).selectOption('dark')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await page.reload()
  await page.getByLabel('Theme', { exact: true }).waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  await page
    .getByText(/^\d+\.\d+\.\d+/)
    .first()
    .waitFor()
  for (const path of ['/jobs', '/supervisor', '/supervisor/api_keys', '/docs']) {
    expect(await page.getByRole('main').getByRole('link', { name: path, exact: true }).getAttribute('href')).toMatch(
      new RegExp(`${path}$`),
    )
  }
  await page.getByText(/^\d+ roots?, \d+ MCP servers?, \d+ skills?, \d+ hooks?, \d+ plugins?$/).waitFor()
  await screenshot(page, 'settings-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await call('PATCH', '/settings', {
    genesis_class_overrides: {},
    default_runtime: before.default_runtime,
    spot_max_concurrent_sessions: before.spot_max_concurrent_sessions,
    mcp_tool_search_enabled: before.mcp_tool_search_enabled,
  })
  expect(faults).toEqual([])
})

test('a number that is typed while an earlier one is being saved stays in its field', async () => {
  const { call } = sharedServer()
  type Settings = { settings: { spot_max_concurrent_sessions: number; mcp_tool_search_enabled: boolean } }
  const read = async () => (await call<Settings>('GET', '/settings')).settings
  const before = await read()
  const { page, goto } = await openPage()
  await goto('/settings')
  const field = page.getByLabel('Sessions at once')
  const search = page.getByRole('switch', { name: /Agents search for tools/ })
  await field.waitFor()
  let answer = (): void => undefined
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/web/*/v1/settings', async (route) => {
    if (route.request().method() === 'GET') await isAnswered
    await route.continue()
  })
  await field.fill('21')
  await field.press('Enter')
  await expect.poll(async () => (await read()).spot_max_concurrent_sessions).toBe(21)
  await field.fill('22')
  // It shows when the page has read the settings again.
  await call('PATCH', '/settings', { mcp_tool_search_enabled: !before.mcp_tool_search_enabled })
  answer()
  await expect.poll(() => search.isChecked()).toBe(!before.mcp_tool_search_enabled)
  expect(await field.inputValue()).toBe('22')
  await field.press('Enter')
  await expect.poll(async () => (await read()).spot_max_concurrent_sessions).toBe(22)
  await call('PATCH', '/settings', {
    spot_max_concurrent_sessions: before.spot_max_concurrent_sessions,
    mcp_tool_search_enabled: before.mcp_tool_search_enabled,
  })
})

test('a browser signs itself out in the settings, which a phone can reach', async () => {
  const { page, goto } = await openPage({ size: 'phone' })
  await goto('/settings')
  const here = page.getByRole('listitem').filter({ hasText: 'this browser' })
  await here.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
})

test('a finger that taps a time sees the whole time and the zone', async () => {
  const { page, goto } = await openPage({ size: 'phone' })
  await goto('/settings')
  // The part of the page that shows tooltips is loaded late, and sees only taps after that.
  await expect
    .poll(async () => {
      await page.getByRole('listitem').filter({ hasText: 'this browser' }).locator('time').tap()
      const isShown = page.getByRole('tooltip').getByText('(Europe/Berlin)').waitFor({ timeout: 2_000 })
      return isShown.then(
        () => true,
        () => false,
      )
    })
    .toBe(true)
})

test('the name is changed, and another browser is signed out from here', async () => {
  const other = await openPage({ size: 'phone' })
  await other.goto('/settings')
  await other.page.evaluate(() =>
    fetch(`${localStorage['yardmaster.private-path']}/session`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Otto' }),
    }),
  )
  const { page, faults, goto } = await openPage({ size: 'phone' })
  await goto('/settings')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Grace')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Grace, signed in by an API key').first().waitFor()
  await page.getByText('this browser', { exact: true }).waitFor()
  await screenshot(page, 'settings-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('listitem').filter({ hasText: 'Otto,' }).getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Otto,').waitFor({ state: 'detached' })
  expect(
    await other.page.evaluate(async () => (await fetch(`${localStorage['yardmaster.private-path']}/session`)).status),
  ).toBe(401)
  expect(
    await page.evaluate(async () => (await fetch(`${localStorage['yardmaster.private-path']}/session`)).status),
  ).toBe(200)
  expect(faults).toEqual([])
})
