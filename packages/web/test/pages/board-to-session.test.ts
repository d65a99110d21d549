import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { idleSession, rowOf, titlesShown } from '../support/board.ts'
import { homeFolder, openPage, startServer } from '../support/browser.ts'

test('the page of a session leads to its neighbours in the list that a person came from, and tells its place', async () => {
  for (const title of ['Walk one', 'Walk two', 'Walk three']) await idleSession(title)
  const { page, goto, faults } = await openPage()
  await goto('/?q=Walk&view=created')
  await expect.poll(async () => (await titlesShown(page, 'Walk')).length).toBe(3)
  const [first = '', middle = '', last = ''] = await titlesShown(page, 'Walk')
  await page.getByRole('link', { name: middle, exact: true }).click()
  const neighbours = page.getByRole('navigation', { name: 'Sessions of the list' })
  const previous = neighbours.getByRole('link', { name: 'Previous session' })
  const next = neighbours.getByRole('link', { name: 'Next session' })
  const isAt = async (title: string, place: string) => {
    await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
    await neighbours.getByText(place, { exact: true }).waitFor()
  }
  await isAt(middle, '2 of 3')
  await next.click()
  await isAt(last, '3 of 3')
  expect(await next.count()).toBe(0)
  await previous.click()
  await isAt(middle, '2 of 3')
  await previous.click()
  await isAt(first, '1 of 3')
  expect(await previous.count()).toBe(0)
  expect(faults).toEqual([])
})

test('the session of an address that was opened by itself has no neighbours', async () => {
  const { id } = await idleSession('Opened by its address')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('heading', { name: 'Opened by its address', level: 1 }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Sessions of the list' }).count()).toBe(0)
})

test('“Whole page” leads from the session beside the board to its page, and back to the board with the session open', async () => {
  const { id } = await idleSession('Grows to a page')
  const { page, goto, faults } = await openPage()
  await goto(`/?q=Grows+to&open=${id}`)
  const drawer = page.getByRole('complementary', { name: 'Session beside the board' })
  await drawer.getByRole('link', { name: 'Whole page' }).click()
  await page.getByRole('heading', { name: 'Grows to a page', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`)
  expect(await drawer.count()).toBe(0)
  await page.goBack()
  await drawer.getByRole('heading', { name: 'Grows to a page' }).waitFor()
  await rowOf(page, 'Grows to a page').waitFor()
  expect(faults).toEqual([])
})

test('the root beside the quick prompt is the root of the session, and stays chosen after a reload', async () => {
  const folder = await homeFolder()
  const root = { description: 'A repository', url: `\${YARDMASTER_HOME}/sample-repository` }
  const roots = { first: { ...root, display_name: 'First yard' }, second: { ...root, display_name: 'Second yard' } }
  await writeFile(join(folder, 'roots.json'), JSON.stringify(roots))
  await writeFile(join(folder, 'air.json'), JSON.stringify({ name: 'of-a-test', roots: ['roots.json'] }))
  const server = await startServer({ environment: { CATALOG_PATH: folder } })
  const { page, goto, faults } = await openPage({ server })
  await goto('/')
  const choice = page.getByRole('combobox', { name: 'Root of the session' })
  await choice.waitFor()
  const [, other = ''] = await choice.locator('option').allInnerTexts()
  await choice.selectOption({ label: other })
  await page.getByLabel('Start a session').fill('say Hello')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('status').getByText('Started “say Hello”').waitFor()
  const { sessions } = await server.call<{ sessions: { id: number }[] }>('GET', '/sessions')
  expect(sessions).toHaveLength(1)
  const { session } = await server.call<{ session: object }>('GET', `/sessions/${sessions[0]?.id}`)
  expect(session).toMatchObject({ metadata: { agent_root_key: other === 'First yard' ? 'first' : 'second' } })
  await page.reload()
  await expect.poll(() => choice.locator('option:checked').allInnerTexts()).toEqual([other])
  expect(faults).toEqual([])
})
