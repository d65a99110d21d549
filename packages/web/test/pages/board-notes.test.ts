import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

test.each([
  { size: 'desktop', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const)(
  'notes are read and written from a row on a $size in the $theme theme, and the row shows that it has some',
  async (look) => {
    const title = `Noted on a ${look.size}`
    const { id } = await makeSession(title)
    const opened = await openPage(look)
    const { page, goto } = opened
    await goto(`/?q=${encodeURIComponent(title)}`)
    await page.getByRole('button', { name: `Actions of ${title}` }).click()
    await page.getByRole('menuitem', { name: 'Notes…' }).click()
    const dialog = page.getByRole('dialog', { name: `Notes on “${title}”` })
    await dialog.getByRole('textbox', { name: 'Notes' }).fill('Wait for the release.')
    await dialog.getByText(/^Saved now|^Saved \d/).waitFor()
    await screenshot(page, `board-notes-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    const { session } = await sharedServer().call<{ session: { session_notes: string } }>('GET', `/sessions/${id}`)
    expect(session.session_notes).toBe('Wait for the release.')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page
      .locator('[data-session]', { hasText: title })
      .getByRole('button', { name: `Notes on ${title}` })
      .click()
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Notes' }).inputValue()).toBe('Wait for the release.')
    await page.keyboard.press('Escape')
    await screenshot(page, `board-noted-row-${look.size}-${look.theme}`)
    expect(await overflows(page)).toEqual([])
    expect(new URL(page.url()).pathname).toBe('/')
    expect(opened.faults).toEqual([])
  },
)
