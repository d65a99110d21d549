import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { choose, idleSession, rowOf } from '../support/board.ts'
import { openPage, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

async function makeCategory(name: string): Promise<number> {
  const { call } = sharedServer()
  return (await call<{ category: { id: number } }>('POST', '/categories', { name })).category.id
}

/** The headings of the sections from top to bottom. */
function sections(page: Page): Locator {
  return page.getByRole('region', { name: 'Sessions', exact: true }).getByRole('heading', { level: 2 })
}

test('a section of the board is folded by its heading, stays folded after a reload, and is opened again', async () => {
  const category = await makeCategory('Folded away')
  const { id } = await idleSession('Inside the fold')
  await sharedServer().call('PATCH', `/sessions/${id}/set_category`, { category_id: category })
  await idleSession('Outside of it')
  const { page, goto, faults } = await openPage()
  const heading = page.getByRole('button', { name: 'Folded away', exact: true })
  await goto('/')
  await rowOf(page, 'Inside the fold').waitFor()
  await heading.click()
  await rowOf(page, 'Inside the fold').waitFor({ state: 'detached' })
  await page.reload()
  await rowOf(page, 'Outside of it').waitFor()
  expect(await heading.getAttribute('aria-expanded')).toBe('false')
  expect(await rowOf(page, 'Inside the fold').count()).toBe(0)
  await heading.click()
  await rowOf(page, 'Inside the fold').waitFor()
  await page.reload()
  await rowOf(page, 'Inside the fold').waitFor()
  expect(await heading.getAttribute('aria-expanded')).toBe('true')
  expect(faults).toEqual([])
})

test('a section is moved down by its menu, for every browser, and the last one cannot be moved further', async () => {
  const { call } = sharedServer()
  for (const name of ['Moves down', 'Moves up for it']) await makeCategory(name)
  const { page, goto, faults } = await openPage()
  await goto('/')
  await sections(page).filter({ hasText: 'Moves up for it' }).waitFor()
  const order = async () => (await sections(page).allTextContents()).filter((title) => title.startsWith('Moves'))
  expect(await order()).toEqual(['Moves down', 'Moves up for it'])
  await choose(page, 'Moves down', 'Move section down')
  await expect.poll(order).toEqual(['Moves up for it', 'Moves down'])
  const stored = async () => {
    const { categories } = await call<{ categories: { name: string }[] }>('GET', '/categories')
    return categories.map(({ name }) => name).filter((name) => name.startsWith('Moves'))
  }
  await expect.poll(stored).toEqual(['Moves up for it', 'Moves down'])
  const last = (await sections(page).allTextContents()).at(-1)
  await page.getByRole('button', { name: `Actions of ${last}`, exact: true }).click()
  const down = page.getByRole('menuitem', { name: 'Move section down' })
  await expect.poll(() => down.isDisabled()).toBe(true)
  expect(faults).toEqual([])
})
