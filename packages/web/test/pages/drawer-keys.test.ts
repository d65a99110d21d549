import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { rowOf } from '../support/board.ts'
import { keepBack, openPage, pressUntilSeen, serverOfFile } from '../support/browser.ts'
import { fileOf } from '../support/built-files.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

/** The addresses of the restarts that the page asks for. */
function restartsOf(page: Page): string[] {
  const restarts: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/restart')) restarts.push(request.url())
  })
  return restarts
}

/** Presses r, and expects that it goes to the composer of the drawer and restarts nothing. */
async function expectToWrite(page: Page): Promise<void> {
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const restarts = restartsOf(page)
  await page.keyboard.press('r')
  await expect
    .poll(async () => [await message.evaluate((it) => it === document.activeElement), ...restarts])
    .toEqual([true])
}

test('r writes to the session in the drawer after a row was selected and is no longer', async () => {
  await makeSession('Selected beside its drawer')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Selected+beside')
  const row = rowOf(page, 'Selected beside its drawer')
  await pressUntilSeen(page, 'j', row.and(page.locator('[data-cursor]')))
  await page.keyboard.press('o')
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  const selected = page.getByRole('region', { name: 'Selected sessions' })
  await page.keyboard.press('x')
  await selected.waitFor()
  await page.keyboard.press('x')
  await selected.waitFor({ state: 'detached' })
  await expectToWrite(page)
  expect(faults).toEqual([])
})

test('r writes to the session in the drawer though the keys of the board are loaded after it and have a row', async () => {
  const { id } = await makeSession('In the drawer from the address')
  const { page, goto, faults } = await openPage()
  const release = await keepBack(page, `**/${await fileOf('src/features/board/board-keys.ts')}`)
  await goto(`/?q=In+the+drawer+from&open=${id}`)
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  release()
  const row = rowOf(page, 'In the drawer from the address')
  await pressUntilSeen(page, 'j', row.and(page.locator('[data-cursor]')))
  await expectToWrite(page)
  expect(faults).toEqual([])
})
