import { expect, test } from 'vitest'
import { axe, keepBack, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

const refusal = { error: 'Unavailable', message: 'not readable now', messages: ['not readable now'] }

test('a queue of several pages is counted as a whole, read page by page, and reordered beyond a page', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('A long queue', 'sleep 600', 'running')
  for (const word of ['one', 'two', 'three', 'four', 'five'])
    await call('POST', `/sessions/${id}/follow_up`, { prompt: `say ${word}` })
  const { page, goto, faults } = await openPage()
  // The server gives pages of two messages, so that five are enough for this.
  await page.route(/\/enqueued_messages\?/, (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('per_page', '2')
    return route.continue({ url: url.href })
  })
  await goto(`/sessions/${id}?tab=queue`)
  const queue = page.getByRole('list', { name: 'Queue' })
  const texts = () => queue.locator('li p:first-child').allTextContents()
  await page.getByText('becomes 6th in the queue').waitFor()
  await page.getByText('1 to 2 of 5').waitFor()
  await screenshot(page, 'session-queue-pages')
  expect(await axe(page)).toEqual([])
  await page.getByRole('button', { name: /^Message 2 of 5/ }).press('Alt+ArrowDown')
  await expect.poll(texts).toEqual(['say one', 'say three'])

  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(texts).toEqual(['say two', 'say four'])
  await page.getByRole('button', { name: 'More for message 3' }).click()
  await page.getByRole('menuitem', { name: 'Move to the end' }).click()
  await expect.poll(texts).toEqual(['say four', 'say five'])

  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(texts).toEqual(['say two'])
  await page.getByRole('button', { name: 'More for message 5' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  // The page that was shown is no more.
  await expect.poll(texts).toEqual(['say four', 'say five'])
  await page.getByText('becomes 5th in the queue').waitFor()
  expect(faults).toEqual([])
})

test('a question that cannot be read is not silently absent, on the page and beside the board', async () => {
  const { id } = await makeSession('Its question is not read')
  const message = `Deploy ${id} now?`
  await ask(id, message)
  for (const address of [`/sessions/${id}`, `/?open=${id}`]) {
    const { page, goto, faults } = await openPage()
    await page.route(/\/v1\/elicitations\?/, (route) => route.fulfill({ status: 422, json: refusal }))
    await goto(address)
    await page.getByRole('alert').getByText('not readable now').waitFor()
    // A read that the page begins by itself must not succeed before the button is pressed.
    const release = await keepBack(page, /\/v1\/elicitations\?/)
    await page.getByRole('button', { name: 'Try again' }).click()
    release()
    await page.getByRole('form', { name: `Question: ${message}` }).waitFor()
    expect(await page.getByText('not readable now').count()).toBe(0)
    expect(faults).toEqual([])
  }
})

test.each(['turns', 'enqueued_messages'])('says why the %s of a session cannot be read', async (what) => {
  const { id } = await makeSession(`Its ${what} are not read`)
  const { page, goto } = await openPage()
  const address = new RegExp(`/v1/sessions/${id}/${what}\\?`)
  await page.route(address, (route) => route.fulfill({ status: 422, json: refusal }))
  // The panel of the queue, which says it too, is not shown.
  await goto(`/sessions/${id}?tab=notes`)
  const alert = page.getByRole('alert').filter({ hasText: 'not readable now' })
  await alert.waitFor()
  expect(await overflows(page)).toEqual([])
  const release = await keepBack(page, address)
  await alert.getByRole('button', { name: 'Try again' }).click()
  release()
  await alert.waitFor({ state: 'detached' })
})

test('find says that it searched the beginning of a long output only, and searches it whole on demand', async () => {
  const { id } = await makeSession('A long output', 'run seq 1 4000\nsay the end')
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}?find=3999`)
  const find = page.getByRole('search')
  await find.getByText('0 of 0', { exact: true }).waitFor()
  await find.getByText('Of 1 long text only the beginning was searched').waitFor()
  await screenshot(page, 'session-find-cut')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  const part = /\/parts\/\d+/
  await page.route(part, (route) => route.fulfill({ status: 422, json: refusal }))
  await find.getByRole('button', { name: 'Search all of it' }).click()
  await find.getByRole('alert').getByText('not readable now').waitFor()
  await page.unroute(part)
  await find.getByRole('button', { name: 'Try again' }).click()
  await find.getByText('1 of 1', { exact: true }).waitFor()
  expect(await find.getByText('only the beginning').count()).toBe(0)

  await find.getByRole('textbox').fill('the end')
  await find.getByText('Of 1 long text only the beginning was searched').waitFor()
  await find.getByRole('textbox').fill('nowhere at all')
  await find.getByText('0 of 0', { exact: true }).waitFor()
  await find.getByRole('button', { name: 'Search all of it' }).click()
  await find.getByText('only the beginning').waitFor({ state: 'detached' })
  await find.getByText('0 of 0', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('find says why a page of the transcript could not be searched', async () => {
  const { id } = await makeSession('A page is missing', 'say the lease')
  const { page, goto } = await openPage()
  const searched = /\/entries\?.*limit=500/
  await page.route(searched, (route) => route.fulfill({ status: 422, json: refusal }))
  await goto(`/sessions/${id}?find=lease`)
  const alert = page.getByRole('search').getByRole('alert')
  await alert.getByText('not readable now').waitFor()
  await page.unroute(searched)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await alert.waitFor({ state: 'detached' })
})
