import { expect, test } from 'vitest'
import { idleSession, rowOf } from '../support/board.ts'
import {
  homeFolder,
  type OpenPage,
  openPage,
  pressUntilSeen,
  serverOfFile,
  sharedServer,
  startServer,
} from '../support/browser.ts'
import { cutOff, fileOf, inVain } from '../support/built-files.ts'
import { throughSleeper } from '../support/dead-connections.ts'
import { steadyPort } from '../support/launch-server.ts'

serverOfFile()

test('after kill -9 of the server a part that was asked for meanwhile is shown, and the page around it stays', async () => {
  const home = await homeFolder()
  const port = await steadyPort()
  const killed = await startServer({ home, port })
  const { page, goto, faults } = await openPage({ server: killed })
  await goto('/')
  await page.getByText('live', { exact: true }).waitFor()
  killed.signal('SIGKILL')
  await page.getByText('offline', { exact: true }).waitFor()
  const filters = page.getByRole('dialog', { name: 'Filters' })
  await inVain(page, () => page.getByRole('button', { name: 'Filters', exact: true }).click())
  expect(await page.getByRole('heading', { name: 'Board', exact: true }).count()).toBe(1)
  expect(await filters.count()).toBe(0)
  await startServer({ home, port })
  await filters.waitFor()
  expect(faults).toEqual([])
})

test('parts that cannot be reached while a page opens leave the rest of it, and are shown later', async () => {
  await idleSession('Shown in parts')
  const { page, goto, faults } = await openPage()
  const reconnect = await cutOff(page, 'src/features/board/quick-prompt.tsx', 'src/features/board/board-keys.ts')
  await inVain(page, () => goto('/'))
  await rowOf(page, 'Shown in parts').waitFor()
  const prompt = page.getByLabel('Start a session: what should the agent do?')
  expect(await prompt.count()).toBe(0)
  await reconnect()
  await prompt.waitFor()
  await pressUntilSeen(page, 'j', page.locator('[data-session][data-cursor]'))
  expect(faults).toEqual([])
})

test.each(['opened', 'gone to'])(
  'a page that is %s while its file cannot be reached has the rail, and is shown later',
  async (how) => {
    const { page, goto, faults } = await openPage()
    if (how === 'gone to') await goto('/')
    const reconnect = await cutOff(page, 'src/features/settings/settings-page.tsx')
    const settings = page.getByRole('link', { name: 'Settings' }).first()
    await inVain(page, () => (how === 'gone to' ? settings.click() : page.goto('/settings')))
    await settings.waitFor()
    await page.getByLabel('Loading').waitFor()
    await reconnect()
    await page.getByRole('heading', { name: 'Settings', exact: true, level: 1 }).waitFor()
    expect(faults).toEqual([])
  },
)

/** The board of the server, behind a line that is unplugged. Answers how to plug it in again. */
async function unpluggedBoard(): Promise<OpenPage & { plugIn(): void }> {
  const { key } = sharedServer()
  const line = await throughSleeper(sharedServer())
  const opened = await openPage({ server: { url: line.url, key } })
  await opened.goto('/')
  await opened.page.getByText('live', { exact: true }).waitFor()
  const plugIn = line.unplug()
  await opened.page.getByText('offline', { exact: true }).waitFor()
  return { ...opened, plugIn }
}

test('a dialog that is called off before its file was reached does not open later', async () => {
  const { page, plugIn, faults } = await unpluggedBoard()
  const filters = page.getByRole('button', { name: 'Filters', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await inVain(page, () => filters.click())
  await page.keyboard.press('Escape')
  const loaded = page.waitForResponse(`**/${await fileOf('src/features/board/filters-dialog.tsx')}`)
  plugIn()
  await loaded
  await filters.click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a part that was asked for before the page noticed that the server is away can be used when it is back', async () => {
  const { page, goto, faults } = await openPage()
  await goto('/')
  const reconnect = await cutOff(page, 'src/features/board/filters-dialog.tsx')
  const filters = page.getByRole('button', { name: 'Filters', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await inVain(page, () => filters.click())
  await reconnect()
  // A browser that keeps the failed file reads the page again; any other opens the dialog.
  await expect
    .poll(async () => {
      if (!(await dialog.isVisible())) await filters.click({ timeout: 1_000 }).catch(() => undefined)
      return dialog.isVisible()
    })
    .toBe(true)
  expect(faults).toEqual([])
})

test('while the server is away a page asks only whether it is back, however much waits for its file', async () => {
  await idleSession('One of many')
  const { page, goto } = await openPage()
  await goto('/')
  const pages = ['settings/settings', 'costs/costs', 'triggers/triggers', 'backlog/backlog', 'search/search']
  await cutOff(page, 'src/features/board/row-menu.ts', ...pages.map((name) => `src/features/${name}-page.tsx`))
  const asked = { probe: 0, files: 0 }
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname === '/up') asked.probe += 1
    else if (pathname.startsWith('/assets/')) asked.files += 1
  })
  for (const name of ['Settings', 'Costs', 'Triggers', 'Backlog', 'Search'])
    await page.getByRole('link', { name }).first().hover()
  await page.getByRole('button', { name: 'Actions of One of many' }).click()
  const { probe } = asked
  await expect.poll(() => asked.probe).toBeGreaterThan(probe + 1)
  const { files } = asked
  await expect.poll(() => asked.probe).toBeGreaterThan(probe + 4)
  expect(asked.files).toBe(files)
})

test('a menu whose items cannot be reached opens when they can', async () => {
  await idleSession('Has a menu')
  const { page, plugIn, faults } = await unpluggedBoard()
  await inVain(page, () => page.getByRole('button', { name: 'Actions of Has a menu' }).click())
  await rowOf(page, 'Has a menu').waitFor()
  plugIn()
  await page.getByRole('menuitem', { name: 'Archive' }).waitFor()
  expect(faults).toEqual([])
})

test('a part that the server does not have any more says so, and trying again loads the page of the new version', async () => {
  const { page, goto } = await openPage()
  await goto('/')
  const file = `**/${await fileOf('src/features/board/filters-dialog.tsx')}`
  await page.route(file, (route) => route.fulfill({ status: 404, body: 'Not found' }))
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByText('This part of the page could not be loaded.').waitFor()
  await page.unroute(file)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByRole('dialog', { name: 'Filters' }).waitFor()
})

test('a page that waited for a server which came back as another version is read again', async () => {
  const { page, goto } = await openPage()
  await goto('/')
  await cutOff(page, 'src/features/board/filters-dialog.tsx')
  const filters = page.getByRole('button', { name: 'Filters', exact: true })
  await inVain(page, () => filters.click())
  const file = `**/${await fileOf('src/features/board/filters-dialog.tsx')}`
  const isRead = page.waitForEvent('load')
  await page.route(file, (route) => route.fulfill({ status: 404, body: 'Not found' }))
  await page.unroute('**/up')
  await isRead
  await page.unroute(file)
  await filters.click()
  await page.getByRole('dialog', { name: 'Filters' }).waitFor()
})

test('a part fails instead of waiting where a proxy wants a sign-in for everything', async () => {
  const { page, goto } = await openPage()
  await goto('/')
  const file = `**/${await fileOf('src/features/board/filters-dialog.tsx')}`
  for (const address of [file, '**/up'])
    await page.route(address, (route) => route.fulfill({ status: 403, body: 'Sign in first' }))
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByText('This part of the page could not be loaded.').waitFor()
})
