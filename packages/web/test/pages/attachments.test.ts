import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, keepBack, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const { call } = sharedServer()

/** A red square of 8 pixels. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC',
  'base64',
)
const reference = /attachment:([0-9a-f]{24})\/([\w.-]+)/

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function attach(page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ])
  await chooser.setFiles(files)
}

/** Empty before the first entry is stored. */
const transcriptOf = (id: number): Promise<string> =>
  call<{ transcript_text: string }>('GET', `/sessions/${id}/transcript`).then(
    (answer) => answer.transcript_text,
    () => '',
  )

const textFile = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

/** Gives the page files as the system does that are pasted or dropped. */
async function give(page: Page, how: 'paste' | 'drop', files: [name: string, content: string][], text?: string) {
  await message(page).evaluate(
    (field, [kind, given, words]) => {
      const data = new DataTransfer()
      for (const [name, content] of given) data.items.add(new File([content], name))
      if (words !== undefined) data.setData('text/plain', words)
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      field.dispatchEvent(event)
    },
    [how, files, text] as const,
  )
}

test('files that a person attaches to a message reach the agent, and the transcript shows them', async () => {
  const { id } = await makeSession('With files')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await message(page).fill('run cat ')
  await attach(page, textFile('my notes.txt', 'remember the milk'))
  await chip(page, 'my-notes.txt').waitFor()
  expect(await message(page).inputValue()).toMatch(new RegExp(`^run cat ${reference.source} $`))
  await page.getByRole('button', { name: /^Send/ }).click()
  await expect.poll(() => transcriptOf(id)).toContain('remember the milk')

  const prompt = page.getByRole('article', { name: 'Prompt' }).filter({ hasText: 'run cat' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    prompt.getByRole('button', { name: 'my-notes.txt' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('my-notes.txt')
  expect(await readFile(await download.path(), 'utf8')).toBe('remember the milk')
  expect(faults).toEqual([])
})

test('a picture that a person attaches shows itself, large on a press, and can be removed before it is sent', async () => {
  const { id } = await makeSession('With a picture')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await message(page).fill('say look')
  await attach(page, { name: 'shot.png', mimeType: 'image/png', buffer: picture }, textFile('trace.log', 'at line 7'))
  await chip(page, 'trace.log').waitFor()
  const drawn = () =>
    page.locator('form img').evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
  await expect.poll(drawn).toEqual([8, 8])
  await screenshot(page, 'attachments-wide')
  await chip(page, 'shot.png').click()
  const dialog = page.getByRole('dialog', { name: 'shot.png' })
  await dialog.getByRole('img', { name: 'shot.png' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await axe(page)).toEqual([])

  await page.getByRole('button', { name: 'Remove trace.log' }).click()
  await chip(page, 'trace.log').waitFor({ state: 'detached' })
  expect(await message(page).inputValue()).toMatch(/^say look attachment:[0-9a-f]{24}\/shot\.png $/)
  // The text is all there is of it, so a reload keeps the file as it keeps the draft.
  await page.reload()
  await chip(page, 'shot.png').waitFor()
  expect(faults).toEqual([])
})

test('files that are pasted or dropped are attached, and a paste of words stays a paste of words', async () => {
  const { id } = await makeSession('With pasted files')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Attach files' }).waitFor()
  await give(page, 'paste', [['pasted.txt', 'by paste']])
  await chip(page, 'pasted.txt').waitFor()
  await give(page, 'drop', [
    ['one.txt', 'first'],
    ['two.txt', 'second'],
  ])
  await chip(page, 'one.txt').waitFor()
  await chip(page, 'two.txt').waitFor()
  const text = await message(page).inputValue()
  const named = [...text.matchAll(new RegExp(reference, 'g'))].map(([, file = '', name]) => ({ file, name }))
  expect(named.map(({ name }) => name)).toEqual(['pasted.txt', 'one.txt', 'two.txt'])
  const stored = await Promise.all(
    named.map(async ({ file }) => (await call<{ content: string }>('GET', `/attachments/${file}`)).content),
  )
  expect(stored.map((content) => Buffer.from(content, 'base64').toString())).toEqual(['by paste', 'first', 'second'])

  await give(page, 'paste', [['picture-of-words.txt', 'x']], 'words')
  await page.getByText('picture-of-words').waitFor({ state: 'detached' })
  expect(await message(page).inputValue()).toBe(text)
  expect(faults).toEqual([])
})

test('a message waits for the files that are on their way, and says why one of them is refused', async () => {
  const { id } = await makeSession('With slow files')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await message(page).fill('say see')
  // Files are taken from when this is shown.
  await page.getByRole('button', { name: 'Attach files' }).waitFor()
  const release = await keepBack(page, '**/attachments')
  await give(page, 'drop', [['slow.txt', 'slow']])
  await page.getByRole('status').filter({ hasText: 'slow.txt' }).waitFor()
  const send = page.getByRole('button', { name: /^Send/ })
  await expect.poll(() => send.isDisabled()).toBe(true)
  await message(page).press('Enter')
  release()
  await chip(page, 'slow.txt').waitFor()
  await expect.poll(() => send.isEnabled()).toBe(true)
  expect(await message(page).inputValue()).toMatch(reference)

  const json = { error: 'Too many attachments', message: 'no room', messages: ['There is no room.'] }
  await page.route('**/attachments', (route) => route.fulfill({ status: 429, json }), { times: 1 })
  await give(page, 'drop', [['refused.txt', 'x']])
  await page.getByRole('alert').filter({ hasText: 'There is no room.' }).waitFor()
  await expect.poll(() => send.isEnabled()).toBe(true)
  expect(await chip(page, 'refused.txt').count()).toBe(0)
  expect(faults.filter((fault) => !fault.includes('429'))).toEqual([])
})

test('a new session gets the files that a person attaches to its prompt, on a phone too', async () => {
  const { page, faults, goto } = await openPage({ size: 'phone' })
  await goto('/sessions/new')
  const prompt = page.getByRole('textbox', { name: 'What should the agent do?' })
  await prompt.fill('run cat ')
  await attach(page, textFile('brief.txt', 'paint it green'))
  await chip(page, 'brief.txt').waitFor()
  await screenshot(page, 'attachments-phone')
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL(/\/sessions\/\d+/)
  const id = Number(/sessions\/(\d+)/.exec(page.url())?.[1])
  await expect.poll(() => transcriptOf(id)).toContain('paint it green')
  await page.getByRole('article', { name: 'Prompt' }).getByRole('button', { name: 'brief.txt' }).waitFor()
  const { session } = await call<{ session: { prompt: string } }>('GET', `/sessions/${id}`)
  const [, file] = reference.exec(session.prompt) ?? []
  expect(await call('GET', `/attachments/${file}`)).toMatchObject({ attachment: { session_id: id } })
  expect(faults).toEqual([])
})
