import { expect, test } from 'vitest'
import { axe, keepBack, type OpenPage, openPage, overflows, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const { call } = sharedServer()

async function notesOf(id: number): Promise<string | null> {
  const { session } = await call<{ session: { session_notes: string | null } }>('GET', `/sessions/${id}`)
  return session.session_notes
}

const write = (id: number, session_notes: string) => call('PATCH', `/sessions/${id}/notes`, { session_notes })

const drafts = ({ page }: OpenPage) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('yardmaster.draft.notes')))

const parts = ({ page }: OpenPage) => ({
  notes: page.getByRole('textbox', { name: 'Notes', exact: true }),
  theirs: page.getByRole('textbox', { name: 'Notes as they are saved' }),
  keep: page.getByRole('button', { name: 'Keep mine' }),
  take: page.getByRole('button', { name: 'Take theirs' }),
})

/** Ada's notes that the server refused, over those that Bob has written since, as she finds them when she comes back. */
async function openOverBobs(title: string) {
  const { id } = await makeSession(title)
  await write(id, 'Stored before')
  const opened = await openPage()
  const { page, goto } = opened
  const json = { error: 'Service Unavailable', message: 'not now', messages: ['not now'] }
  await page.route('**/notes', (route) => route.fulfill({ status: 503, json }))
  await goto(`/sessions/${id}?tab=notes`)
  const { notes, theirs } = parts(opened)
  await notes.fill('Written by Ada')
  await page.getByText('not now').waitFor()
  await goto('/inbox')
  await write(id, 'Written by Bob')
  await page.unroute('**/notes')
  let writes = 0
  page.on('request', (request) => {
    if (request.method() === 'PATCH') writes += 1
  })
  await goto(`/sessions/${id}?tab=notes`)
  await theirs.waitFor()
  return { ...opened, ...parts(opened), id, writes: () => writes }
}

test('a kept draft of notes is not saved over what someone else wrote since, until the person keeps it', async () => {
  const opened = await openOverBobs('Noted by two')
  const { page, faults, notes, theirs, keep, id, writes } = opened
  expect([await notes.inputValue(), await theirs.inputValue()]).toEqual(['Written by Ada', 'Written by Bob'])
  await page.getByRole('status').getByText('Not saved').waitFor()
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  // What is typed now does not answer the question.
  await notes.fill('Written by Ada, and more')
  // Longer than notes wait before they are saved.
  await page.waitForTimeout(1_600)
  expect([writes(), await notesOf(id)]).toEqual([0, 'Written by Bob'])

  await keep.click()
  await expect.poll(() => notesOf(id)).toBe('Written by Ada, and more')
  await expect.poll(() => drafts(opened)).toEqual([])
  await theirs.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a person who takes the notes of someone else discards the own draft', async () => {
  const opened = await openOverBobs('Noted by two, and taken')
  const { page, faults, notes, theirs, take, id, writes } = opened
  await take.click()
  await theirs.waitFor({ state: 'detached' })
  await expect.poll(() => notes.inputValue()).toBe('Written by Bob')
  expect(await drafts(opened)).toEqual([])
  await page.waitForTimeout(1_600)
  expect([writes(), await notesOf(id)]).toEqual([0, 'Written by Bob'])
  expect(faults).toEqual([])
})

test('notes that someone else changes while they are written are not overwritten', async () => {
  const { id } = await makeSession('Noted at the same time')
  const opened = await openPage()
  const { page, faults, goto } = opened
  await goto(`/sessions/${id}?tab=notes`)
  await page.getByText('live', { exact: true }).waitFor()
  const { notes, theirs } = parts(opened)
  await notes.waitFor()
  // Time stands still between two letters and the moment at which they are saved.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await notes.fill('Written by Ada')
  await write(id, 'Written by Bob')
  await expect
    .poll(async () => {
      await page.clock.runFor(100)
      return theirs.isVisible()
    })
    .toBe(true)
  expect(await theirs.inputValue()).toBe('Written by Bob')
  await page.clock.runFor(3_000)
  expect(await notesOf(id)).toBe('Written by Bob')
  expect(faults).toEqual([])
})

test('a kept draft is compared with the notes that are read again, not with those that the page still has', async () => {
  const { id } = await makeSession('Noted behind the page')
  const opened = await openPage()
  const { page, faults, goto } = opened
  const { notes, theirs } = parts(opened)
  await page.clock.install()
  const json = { error: 'Service Unavailable', message: 'not now', messages: ['not now'] }
  await page.route('**/notes', (route) => route.fulfill({ status: 503, json }))
  await goto(`/sessions/${id}?tab=notes`)
  await notes.fill('Written by Ada')
  await page.getByText('not now').waitFor()
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  await page.unroute('**/notes')
  await write(id, 'Written by Bob')
  // By now the page reads again what it has.
  await page.clock.fastForward(60_000)
  const release = await keepBack(page, `**/v1/sessions/${id}`)
  await page.goBack()
  await expect.poll(() => notes.inputValue()).toBe('Written by Ada')
  await page.waitForTimeout(1_600)
  expect(await notesOf(id)).toBe('Written by Bob')
  release()
  await theirs.waitFor()
  expect(await notesOf(id)).toBe('Written by Bob')
  expect(faults).toEqual([])
})

test('notes that are written on while they are saved are all saved, and nothing is asked', async () => {
  const { id } = await makeSession('Noted at length')
  const opened = await openPage()
  const { page, faults, goto } = opened
  await goto(`/sessions/${id}?tab=notes`)
  const { notes, theirs } = parts(opened)
  const release = await keepBack(page, '**/notes')
  const isAsked = page.waitForRequest('**/notes')
  await notes.fill('One')
  await isAsked
  await notes.fill('One, two')
  release()
  await expect.poll(() => notesOf(id)).toBe('One, two')
  await notes.fill('One, two, three')
  await expect.poll(() => notesOf(id)).toBe('One, two, three')
  await expect.poll(() => drafts(opened)).toEqual([])
  expect(await theirs.count()).toBe(0)
  expect(faults).toEqual([])
})

const ways = [
  { way: 'another tab of the pane', leave: ({ page }: OpenPage) => page.getByRole('tab', { name: 'Info' }).click() },
  { way: 'another page', leave: ({ page }: OpenPage) => page.getByRole('link', { name: 'Inbox' }).first().click() },
  { way: 'another address', leave: ({ goto }: OpenPage) => goto('/settings') },
  { way: 'a closed browser tab', leave: ({ page }: OpenPage) => page.close() },
]

test.each(ways)('notes are saved when they are left for $way right after the last letter', async ({ leave }) => {
  const { id } = await makeSession('Noted and left')
  const opened = await openPage()
  const { page, faults, goto } = opened
  await goto(`/sessions/${id}?tab=notes`)
  const { notes } = parts(opened)
  await notes.waitFor()
  // The moment at which notes are saved while they are written does not come.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await notes.fill('Written in haste')
  await leave(opened)
  await expect.poll(() => notesOf(id)).toBe('Written in haste')
  expect(faults).toEqual([])
})
