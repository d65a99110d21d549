import { readFile } from 'node:fs/promises'
import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { goOn, openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const { call } = sharedServer()

type Chosen = { name: string; mimeType: string; buffer: Buffer }

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const file = (name: string, content: string | Buffer): Chosen => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

async function attach(page: Page, ...files: Chosen[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ])
  await chooser.setFiles(files)
}

async function drop(page: Page, name: string): Promise<void> {
  await message(page).evaluate((field, dropped) => {
    const data = new DataTransfer()
    data.items.add(new File([dropped], dropped))
    field.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }, name)
}

/** Holds the uploads of a page back, each until its name is let through, and says which were sent. */
async function holdUploads(page: Page): Promise<{ sent: string[]; letThrough(name: string): void }> {
  const sent: string[] = []
  const waiting = new Map<string, () => void>()
  await page.route('**/attachments', async (route) => {
    const { name } = route.request().postDataJSON()
    sent.push(name)
    await new Promise<void>((resolve) => waiting.set(name, resolve))
    await route.continue()
  })
  return { sent, letThrough: (name) => waiting.get(name)?.() }
}

/** Refuses each upload of a page once the returned function is called. */
async function holdRefusal(page: Page): Promise<() => void> {
  let refuse = (): void => undefined
  const mayRefuse = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route('**/attachments', async (route) => {
    await mayRefuse
    await route.fulfill({
      status: 422,
      json: { error: 'Unprocessable Entity', message: 'Not now', messages: ['Not now'] },
    })
  })
  return refuse
}

async function openSession(title: string): Promise<{ page: Page; faults: string[]; id: number }> {
  const { id } = await makeSession(title)
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Attach files' }).waitFor()
  return { page, faults, id }
}

test('a message waits for every file, also for one that is dropped while another is on its way', async () => {
  const { page, faults } = await openSession('Two drops')
  await message(page).fill('say see')
  const { sent, letThrough } = await holdUploads(page)
  await drop(page, 'one.txt')
  await page.getByRole('status').filter({ hasText: 'one.txt' }).waitFor()
  await drop(page, 'two.txt')
  await page.getByRole('status').filter({ hasText: 'two.txt' }).waitFor()
  await expect.poll(() => sent).toContain('one.txt')
  letThrough('one.txt')
  await chip(page, 'one.txt').waitFor()
  const send = page.getByRole('button', { name: /^Send/ })
  expect(await page.getByRole('status').filter({ hasText: 'two.txt' }).count()).toBe(1)
  expect(await send.isDisabled()).toBe(true)
  await expect.poll(() => sent).toContain('two.txt')
  letThrough('two.txt')
  await chip(page, 'two.txt').waitFor()
  await expect.poll(() => send.isEnabled()).toBe(true)
  expect(faults).toEqual([])
})

test('a file that is empty or too large is named and not sent, and the files beside it are attached', async () => {
  const { page, faults } = await openSession('Refused files')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/attachments')) sent.push(request.postDataJSON().name)
  })
  await attach(
    page,
    file('empty.txt', ''),
    file('huge.bin', Buffer.alloc(10 * 1024 ** 2 + 1)),
    file('good.txt', 'good'),
  )
  await chip(page, 'good.txt').waitFor()
  await page.getByRole('alert').filter({ hasText: 'empty.txt is empty.' }).waitFor()
  await page.getByRole('alert').filter({ hasText: 'huge.bin is larger than 10 MB.' }).waitFor()
  expect(sent).toEqual(['good.txt'])
  expect(faults).toEqual([])
})

test('undo takes back a file that was attached, and then what was typed before it', async () => {
  const { page, faults } = await openSession('Undo')
  await message(page).click()
  await page.keyboard.type('first words ')
  await attach(page, file('undone.txt', 'x'))
  await chip(page, 'undone.txt').waitFor()
  await message(page).press('Control+z')
  await chip(page, 'undone.txt').waitFor({ state: 'detached' })
  expect(await message(page).inputValue()).toBe('first words ')
  await message(page).press('Control+Shift+z')
  await chip(page, 'undone.txt').waitFor()
  await page.getByRole('button', { name: 'Remove undone.txt' }).click()
  await chip(page, 'undone.txt').waitFor({ state: 'detached' })
  await message(page).press('Control+z')
  await chip(page, 'undone.txt').waitFor()
  expect(faults).toEqual([])
})

test('a file that arrives leaves a person in the field in which they type', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/sessions/new')
  const prompt = page.getByRole('textbox', { name: 'What should the agent do?' })
  await prompt.fill('say see')
  const { sent, letThrough } = await holdUploads(page)
  await attach(page, file('late.txt', 'late'))
  await expect.poll(() => sent).toEqual(['late.txt'])
  await page.getByText('Title, goal, class and more').click()
  const title = page.getByLabel('Title')
  await title.click()
  await page.keyboard.type('My ti')
  letThrough('late.txt')
  await chip(page, 'late.txt').waitFor()
  await page.keyboard.type('tle')
  expect(await title.inputValue()).toBe('My title')
  expect(await prompt.inputValue()).toMatch(/^say see attachment:[0-9a-f]{24}\/late\.txt $/)
  expect(faults).toEqual([])
})

test('a file that cannot be shown as a picture says so, and so does a file that was deleted', async () => {
  const { page, faults } = await openSession('Odd files')
  await attach(page, file('no-picture.png', 'just words'), file('gone.txt', 'x'))
  await chip(page, 'gone.txt').waitFor()
  await chip(page, 'no-picture.png').click()
  const dialog = page.getByRole('dialog', { name: 'no-picture.png' })
  await dialog.getByText('This file cannot be shown as a picture.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe('just words')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  const [, gone] = /attachment:([0-9a-f]{24})\/gone/.exec(await message(page).inputValue()) ?? []
  await call('DELETE', `/attachments/${gone}`)
  await chip(page, 'gone.txt').click()
  await page.getByRole('status').filter({ hasText: 'The requested resource was not found' }).waitFor()
  expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
})

test('a file that is still on its way when a person goes to another session is not named there', async () => {
  const { page, faults } = await openSession('Left behind')
  const { id: otherId } = await makeSession('Gone to')
  const { sent, letThrough } = await holdUploads(page)
  await drop(page, 'left.txt')
  await expect.poll(() => sent).toEqual(['left.txt'])
  await goOn(page, `/sessions/${otherId}`)
  await page.getByRole('heading', { name: 'Gone to' }).waitFor()
  const answered = page.waitForResponse('**/attachments')
  letThrough('left.txt')
  await answered
  await message(page).fill('say other words')
  await expect.poll(() => page.getByRole('button', { name: /^Send/ }).isEnabled()).toBe(true)
  expect(await message(page).inputValue()).toBe('say other words')
  expect(faults).toEqual([])
})

test('a file that arrives while the palette is open is named in the message, and not in the palette', async () => {
  const { page, faults } = await openSession('Under the palette')
  await message(page).fill('say see')
  const { sent, letThrough } = await holdUploads(page)
  await drop(page, 'under.txt')
  await expect.poll(() => sent).toEqual(['under.txt'])
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: 'Search or do' })
  await palette.pressSequentially('sett')
  letThrough('under.txt')
  const field = page.locator('textarea[aria-label=Message]')
  await expect.poll(() => field.inputValue()).toMatch(/^say see attachment:[0-9a-f]{24}\/under\.txt $/)
  await page.keyboard.type('ings')
  expect(await palette.inputValue()).toBe('settings')
  await page.keyboard.press('Escape')
  await chip(page, 'under.txt').waitFor()
  expect(faults).toEqual([])
})

test('a file that arrives after the person has left the page is named in the draft that they left', async () => {
  const { page, faults } = await openSession('Left before the file')
  await message(page).fill('say see')
  const { sent, letThrough } = await holdUploads(page)
  await drop(page, 'first.txt')
  await expect.poll(() => sent).toEqual(['first.txt'])
  await page.getByRole('link', { name: 'New session' }).first().click()
  const prompt = page.getByRole('textbox', { name: 'What should the agent do?' })
  await prompt.fill('say other')
  letThrough('first.txt')
  await attach(page, file('second.txt', 'second'))
  await expect.poll(() => sent).toContain('second.txt')
  await page.goBack()
  await chip(page, 'first.txt').waitFor()
  letThrough('second.txt')
  await page.goForward()
  await chip(page, 'second.txt').waitFor()
  expect(await prompt.inputValue()).toMatch(/^say other attachment:[0-9a-f]{24}\/second\.txt $/)
  await page.goBack()
  await chip(page, 'first.txt').waitFor()
  expect(await message(page).inputValue()).toMatch(/^say see attachment:[0-9a-f]{24}\/first\.txt $/)
  expect(faults).toEqual([])
})

test('a file that cannot be uploaded after the person has left the page is named in a notice', async () => {
  const { page } = await openSession('Left before the refusal')
  const refuse = await holdRefusal(page)
  await drop(page, 'refused.txt')
  await page.getByRole('status').filter({ hasText: 'refused.txt' }).waitFor()
  await page.getByRole('link', { name: 'New session' }).first().click()
  await page.getByRole('textbox', { name: 'What should the agent do?' }).waitFor()
  refuse()
  await page.getByRole('status').getByText('refused.txt: Not now').waitFor()
})

test('a picture is read once, also when the page reads everything again', async () => {
  const { page, faults } = await openSession('Read once')
  const reads: string[] = []
  const isOfFile = (request: Request) => request.method() === 'GET' && /\/attachments\//.test(request.url())
  page.on('request', (request) => {
    if (isOfFile(request)) reads.push(request.url())
  })
  const isRead = page.waitForEvent('requestfinished', isOfFile)
  await attach(page, file('once.png', 'no picture'))
  await chip(page, 'once.png').waitFor()
  // A read that the person leaves before its answer begins again.
  await isRead
  expect(reads).toHaveLength(1)
  await page.clock.install()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.clock.fastForward('02:00')
  await page.goBack()
  await chip(page, 'once.png').click()
  await page.getByText('This file cannot be shown as a picture.').waitFor()
  expect(reads).toHaveLength(1)
  expect(faults).toEqual([])
})
