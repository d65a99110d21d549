import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

test('a search shows the phrase in its place, and the excerpt leads to the entry', async () => {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    agent_root: 'sample',
    agent_runtime: 'demo',
    title: 'One that speaks of otters',
    prompt: 'say The quick otter swims under the bridge',
  })
  await expect
    .poll(async () => (await call<{ session: { status: string } }>('GET', `/sessions/${session.id}`)).session.status)
    .toBe('needs_input')
  const { page, faults, goto } = await openPage()
  await goto('/search')
  await page.getByRole('searchbox', { name: 'Phrase' }).fill('otter swims')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.locator('mark', { hasText: 'otter swims' }).first().waitFor()
  await page.getByText('All transcripts were searched').waitFor()
  await screenshot(page, 'search-excerpts')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page
    .locator('a', { has: page.locator('mark') })
    .first()
    .click()
  await page.waitForURL(new RegExp(`/sessions/${session.id}#e\\d+$`))
  expect(faults).toEqual([])
})

test('filters are chips that stand in the address, and can be taken away', async () => {
  const { call } = sharedServer()
  await call('POST', '/sessions', { agent_root: 'sample', title: 'A walrus', prompt: 'say hello' })
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/search?q=walrus&contents=false')
  await page.getByRole('link', { name: 'A walrus' }).first().waitFor()
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('menuitem', { name: 'Failed' }).click()
  await page.waitForURL(/status=failed/)
  await page.getByText('Nothing contains “walrus”').waitFor()
  await screenshot(page, 'search-filters-phone')
  await page.getByRole('button', { name: 'Remove the filter Status: Failed' }).click()
  await page.getByRole('link', { name: 'A walrus' }).first().waitFor()
  await page.getByRole('button', { name: 'With archived' }).click()
  await page.waitForURL(/archived=true/)
  await page.getByRole('button', { name: 'In transcripts' }).click()
  await page.waitForURL((url) => !url.search.includes('contents'))
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a search that ended with a full page goes on from there, in transcripts and in titles', async () => {
  for (const name of ['One heron', 'Another heron']) await makeSession(name, 'say It waits at the weir')
  const { page, faults, goto } = await openPage()
  // The server gives pages of one session, so that two are enough for this.
  await page.route('**/web/*/v1/sessions/search?*', (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('per_page', '1')
    return route.continue({ url: url.href })
  })
  const hits = page.getByRole('main').getByRole('link', { name: /heron$/ })
  await goto('/search?q=at+the+weir')
  await page.getByText(/^Not all transcripts were searched: .*the page is full$/).waitFor()
  expect(await hits.count()).toBe(1)
  await page.getByRole('button', { name: 'Search on' }).click()
  await expect.poll(() => hits.count()).toBe(2)
  expect(await axe(page)).toEqual([])

  await goto('/search?q=heron&contents=false')
  await page.getByText('2 found in titles and metadata').waitFor()
  expect(await hits.count()).toBe(1)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => hits.count()).toBe(2)
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  expect(new Set(await hits.allTextContents()).size).toBe(2)
  expect(faults).toEqual([])
})
