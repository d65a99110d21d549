import { beforeAll, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

beforeAll(async () => {
  // Without a prompt nothing runs, so no vendor's program is needed.
  for (const [title, agent_runtime, scheduling_class] of [
    ['A puffin on the demo', 'demo', 'priority'],
    ['A puffin elsewhere', 'runtime_alpha', 'spot'],
  ])
    await sharedServer().call('POST', '/sessions', { title, agent_runtime, scheduling_class, agent_root: 'sample' })
})

test('a search is narrowed by runtime, class and origin, each taken away again', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/search?q=puffin&contents=false')
  const hits = page.getByRole('main').getByRole('link', { name: /^A puffin/ })
  const shown = async () => (await hits.allInnerTexts()).toSorted()
  await expect.poll(shown).toEqual(['A puffin elsewhere', 'A puffin on the demo'])
  for (const { filter, choice, name, value, left } of [
    { filter: 'Runtime', choice: 'demo', name: 'agent_runtime', value: 'demo', left: ['A puffin on the demo'] },
    { filter: 'Class', choice: 'Spot', name: 'priority_class', value: 'spot', left: ['A puffin elsewhere'] },
    { filter: 'Origin', choice: 'Chat', name: 'genesis', value: 'chat', left: [] },
  ]) {
    await page.getByRole('button', { name: filter, exact: true }).click()
    await page.getByRole('menuitem', { name: choice, exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get(name)).toBe(value)
    await expect.poll(shown).toEqual(left)
    await screenshot(page, `search-by-${filter.toLowerCase()}`)
    expect(await overflows(page)).toEqual([])
    await page.getByRole('button', { name: `Remove the filter ${filter}: ${choice}` }).click()
    await expect.poll(shown).toHaveLength(2)
    expect(new URL(page.url()).searchParams.get(name)).toBeNull()
  }
  // Two filters at once.
  await page.getByRole('button', { name: 'Origin', exact: true }).click()
  await page.getByRole('menuitem', { name: 'API', exact: true }).click()
  await page.getByRole('button', { name: 'Class', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Priority', exact: true }).click()
  await expect.poll(shown).toEqual(['A puffin on the demo'])
  expect(await axe(page)).toEqual([])
  expect(faults).toEqual([])
})

test('another phrase is searched with Enter, keeps the filters, and a hit opens its session', async () => {
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/search?q=nothing+like+it&contents=false&priority_class=spot')
  await page.getByText('Nothing contains “nothing like it”').waitFor()
  await page.getByRole('searchbox', { name: 'Phrase' }).fill('puffin')
  await page.getByRole('searchbox', { name: 'Phrase' }).press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('puffin')
  expect(new URL(page.url()).searchParams.get('priority_class')).toBe('spot')
  const hit = page.getByRole('main').getByRole('link', { name: 'A puffin elsewhere' })
  await hit.waitFor()
  expect(await page.getByRole('main').getByRole('link', { name: 'A puffin on the demo' }).count()).toBe(0)
  await hit.click()
  await page.waitForURL(/\/sessions\/\d+$/)
  expect(faults).toEqual([])
})
