import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

/** The part of the page that shows tooltips is loaded late, and sees only movements after that. */
async function hoverTheme(page: Page): Promise<{ button: Locator; tip: Locator }> {
  const tip = page.getByRole('tooltip')
  const button = page.getByRole('button', { name: /^Theme: / })
  let x = 8
  await expect
    .poll(async () => {
      x = x === 8 ? 9 : 8
      await button.hover({ position: { x, y: 8 } })
      return tip.getByText(/^Theme: /).count()
    })
    .toBe(1)
  return { button, tip }
}

/** From now on time passes only where the test says so. */
async function holdClock(page: Page): Promise<void> {
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000))
}

/** Longer than a tooltip takes to appear or to hide. */
const enoughMs = 1_000

test('a tooltip stays while the pointer is on it, lets clicks through, and goes when the pointer leaves', async () => {
  const { page, goto } = await openPage()
  await page.clock.install()
  await goto('/settings')
  const { tip } = await hoverTheme(page)
  await holdClock(page)
  const box = await tip.boundingBox()
  if (!box) throw new Error('the tooltip has no place')
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await page.mouse.move(middle.x, middle.y, { steps: 4 })
  await page.clock.runFor(enoughMs)
  expect(await tip.isVisible()).toBe(true)
  const under = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('[role=tooltip]'), middle)
  expect(under).toBeNull()
  await page.mouse.move(middle.x + 400, middle.y, { steps: 4 })
  await page.clock.runFor(enoughMs)
  await tip.waitFor({ state: 'detached' })
})

test('a tooltip that Escape hides does not come back before the pointer leaves its control', async () => {
  const { page, goto } = await openPage()
  await page.clock.install()
  await goto('/settings')
  const { tip, button } = await hoverTheme(page)
  await holdClock(page)
  await page.keyboard.press('Escape')
  await tip.waitFor({ state: 'detached' })
  await button.hover({ position: { x: 4, y: 4 } })
  await page.clock.runFor(enoughMs)
  expect(await tip.count()).toBe(0)
  await page.mouse.move(300, 400)
  await button.hover()
  await page.clock.runFor(enoughMs)
  await tip.waitFor()
})

test('the bar of a long form covers no field that gets the focus', async () => {
  const { page, goto } = await openPage()
  await page.setViewportSize({ width: 1280, height: 420 })
  await goto('/sessions/new')
  const bar = page.locator('.form-actions')
  await bar.waitFor()
  // What is loaded later moves what is below it, also the field with the focus.
  await page.getByRole('button', { name: 'Choose MCP servers' }).and(page.locator(':enabled')).waitFor()
  const seen = new Set<string>()
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      const bar = document.querySelector('.form-actions')
      if (!element || !bar || !document.querySelector('main')?.contains(element)) return undefined
      if (bar.contains(element)) return undefined
      const { top, bottom, height } = element.getBoundingClientRect()
      const covered = bottom - bar.getBoundingClientRect().top
      const name = element.getAttribute('aria-label') ?? element.id ?? element.textContent ?? ''
      return { name, isCovered: covered > 0 && covered >= Math.min(height, bottom - top) }
    })
    if (!focused) continue
    seen.add(focused.name)
    expect(focused).toMatchObject({ isCovered: false })
  }
  expect(seen.size).toBeGreaterThan(5)
})

test('times are shown with date and zone in their place on demand, for the keyboard as for a finger', async () => {
  const { id } = await makeSession('Is read by the clock')
  const { page, faults, goto } = await openPage()
  await goto('/')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).fill('Exact times or ages')
  await page.locator('[role=option][data-active-item]', { hasText: /^Exact times or ages$/ }).waitFor()
  await page.keyboard.press('Enter')
  const time = page.locator('time[data-tip]').first()
  const shown = () => time.evaluate((element) => getComputedStyle(element, '::after').content)
  await expect.poll(shown).toContain('(Europe/Berlin)')
  await screenshot(page, 'exact-times-board')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  // The rows move when the page draws its first frame of this size.
  await expect.poll(() => overflows(page)).toEqual([])
  await screenshot(page, 'exact-times-board-phone')
  await goto(`/sessions/${id}?tab=info`)
  await expect.poll(shown).toContain('(Europe/Berlin)')
  expect(await overflows(page)).toEqual([])
  await screenshot(page, 'exact-times-session-phone')
  await goto('/settings')
  await page.getByLabel('Times', { exact: true }).selectOption('How long ago')
  await expect.poll(shown).toBe('none')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).fill('Exact times or ages')
  await page.getByRole('option', { name: 'Exact times or ages', exact: true }).click()
  await expect.poll(() => page.getByLabel('Times', { exact: true }).inputValue()).toBe('exact')
  await page.getByLabel('Times', { exact: true }).selectOption('How long ago')
  await page.reload()
  await time.waitFor()
  expect(await shown()).toBe('none')
  expect(faults).toEqual([])
})
