import { expect, test } from 'vitest'
import { choose } from '../support/board.ts'
import { keepBack, openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

test('the offer to undo is gone after ten seconds', async () => {
  const title = 'Archived for ten seconds'
  await makeSession(title)
  const { page, context, faults, goto } = await openPage()
  await context.clock.install()
  await goto(`/?q=${encodeURIComponent(title)}`)
  await choose(page, title, 'Archive')
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo', exact: true })
  await undo.waitFor()
  await page.clock.fastForward(10_000)
  await undo.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('undelivered messages that cannot be read say so, and are read again on request', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Cannot read its messages', 'sleep 600', 'running')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'sleep 602' })
  await call('POST', `/sessions/${id}/archive`, { force: true })
  await call('POST', `/sessions/${id}/unarchive`)
  const { page, faults, goto } = await openPage()
  const json = { error: 'Validation failed', message: 'not readable', messages: ['These messages are not readable.'] }
  await page.route(/enqueued_messages\?.*undelivered/, (route) => route.fulfill({ status: 422, json }))
  await goto(`/sessions/${id}?tab=queue`)
  const note = page.getByRole('alert').filter({ hasText: 'These messages are not readable.' })
  await note.waitFor()
  const release = await keepBack(page, /enqueued_messages\?.*undelivered/)
  await note.getByRole('button', { name: 'Try again' }).click()
  release()
  await page.getByRole('region', { name: 'Undelivered messages' }).getByText('sleep 602').waitFor()
  expect(faults).toEqual([])
})

test('a list for which the catalog has nothing says so, and leads to the catalog', async () => {
  const { id } = await makeSession('Nothing to choose')
  await sharedServer().call('PATCH', `/sessions/${id}/catalog_plugins`, { catalog_plugins: [] })
  const { page, faults, goto } = await openPage()
  await page.route(/\/v1\/plugins/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), plugins: [] } })
  })
  await goto(`/sessions/${id}?tab=info`)
  await page.getByRole('button', { name: 'Change the Plugins' }).click()
  const dialog = page.getByRole('dialog', { name: 'Plugins' })
  await dialog.getByText('The catalog has none of these').waitFor()
  await dialog.getByRole('link', { name: 'Open the catalog' }).click()
  await page.waitForURL(/\/catalog/)
  expect(faults).toEqual([])
})

test('notes that were saved do not fall back to the old text while the session is read again', async () => {
  const { id } = await makeSession('Noted twice')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=notes`)
  const notes = page.getByRole('textbox', { name: 'Notes' })
  await notes.waitFor()
  const release = await keepBack(page, `**/v1/sessions/${id}`)
  const isSaved = page.waitForResponse(/\/notes/)
  await notes.fill('Wait for the release.')
  await isSaved
  expect(await notes.inputValue()).toBe('Wait for the release.')
  release()
  await page.getByText(/^Saved now|^Saved \d/).waitFor()
  expect(await notes.inputValue()).toBe('Wait for the release.')
  expect(faults).toEqual([])
})
