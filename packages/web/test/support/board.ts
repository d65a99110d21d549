import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { keepToasts, type OpenPage, sharedServer } from './browser.ts'

/** The row of the session with this title. */
export function rowOf(page: Page, title: string): Locator {
  return page.locator('[data-session]').filter({ has: page.getByRole('link', { name: title, exact: true }) })
}

/** The titles of the rows that begin with this word, from top to bottom. */
export function titlesShown(page: Page, word: string): Promise<string[]> {
  return page
    .locator('[data-session]')
    .getByRole('link', { name: new RegExp(`^${word} `) })
    .allTextContents()
}

/** A row that leaves the list stays in its place for ten seconds; with a clock that stands still, for the whole test. */
export async function keepLeavingRows({ page, context }: OpenPage): Promise<void> {
  await page.clock.setFixedTime(new Date())
  // The clock has timers of its own.
  await keepToasts(context)
}

/** Takes an entry of the menu of a row or of a section. */
export async function choose(page: Page, of: string, item: string): Promise<void> {
  const button = page.getByRole('button', { name: `Actions of ${of}`, exact: true })
  // The name of an entry may end with its key.
  const entry = page.getByRole('menuitem', { name: new RegExp(`^${item}`) })
  // A click is lost when other sessions move the row between its press and its release.
  await expect
    .poll(async () => {
      if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click()
      return entry.isVisible()
    })
    .toBe(true)
  await entry.click()
}

/** Ticks the box of the row of this session. A click is lost when another session moves the row between its press and its release. */
export async function tick(page: Page, title: string): Promise<void> {
  const box = page.getByRole('checkbox', { name: `Select ${title}` })
  await expect
    .poll(async () => {
      if (!(await box.isChecked())) await box.click()
      return box.isChecked()
    })
    .toBe(true)
}

/** Drags a row or a heading onto another one. Dragging is loaded when the mouse first moves. */
export async function drag(page: Page, what: Locator, onto: Locator): Promise<void> {
  await what.hover()
  await what.and(page.locator('[draggable=true]')).dragTo(onto)
}

/** A session without a prompt: no agent starts, so any runtime and class will do. */
export async function idleSession(title: string, more: object = {}): Promise<{ id: number }> {
  const { session } = await sharedServer().call<{ session: { id: number } }>('POST', '/sessions', {
    title,
    agent_root: 'sample',
    ...more,
  })
  return session
}
