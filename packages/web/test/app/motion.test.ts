import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, overflows } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

/** What moves on the page now. A turning icon never ends, so that it stays in this list. */
function moving(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document.getAnimations().map((animation) => {
      const { target } = animation.effect as KeyframeEffect
      return `${target?.tagName.toLowerCase()} ${target?.getAttribute('class')}`
    }),
  )
}

/** Waits for what is drawn once, such as a dialog that appears. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(ends.map(({ finished }) => finished))
  })
}

/** The pages that show a session at work. */
async function pathsOfWork(title: string): Promise<string[]> {
  const { id } = await makeSession(title, 'run sleep 900', 'running')
  return [`/?q=${encodeURIComponent(title)}`, `/sessions/${id}`]
}

test('a person who asked for less motion sees nothing move, also while a session works and a dialog opens', async () => {
  const { page, goto, faults } = await openPage()
  for (const path of await pathsOfWork('Works without motion')) {
    await goto(path)
    await page.getByText('Running', { exact: true }).first().waitFor()
    await expect.poll(() => moving(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or do' }).waitFor()
    await expect.poll(() => moving(page)).toEqual([])
    // The same page, so that the lists above are not empty because nothing could move.
    await page.keyboard.press('Escape')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await expect.poll(() => moving(page)).not.toEqual([])
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(() => moving(page)).toEqual([])
  }
  expect(faults).toEqual([])
})

test.each(['desktop', 'phone'] as const)(
  'with motion the pages on a %s have no fault of the layout, and dialogs come to rest where they belong',
  async (size) => {
    const { page, goto, faults } = await openPage({ size })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const paths = [...(await pathsOfWork(`Works with motion on a ${size}`)), '/inbox', '/costs', '/settings', '/search']
    for (const path of paths) {
      await goto(path)
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
      await settle(page)
      expect({ path, faults: await overflows(page) }).toEqual({ path, faults: [] })
    }
    await goto('/triggers/new')
    await page.getByRole('heading', { name: 'New trigger' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await settle(page)
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  },
)
