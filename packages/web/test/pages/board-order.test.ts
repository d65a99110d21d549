import { expect, test } from 'vitest'
import { choose, drag, idleSession, rowOf, titlesShown } from '../support/board.ts'
import { keepBack, openPage, serverOfFile, sharedServer } from '../support/browser.ts'
import { countAtOnce, holdBack } from '../support/held-writes.ts'

serverOfFile()

type Board = { sections: { key: string; frozen?: boolean; cards: { title: string }[] }[] }

/** A category with a session of each title, in this order. */
async function makeSection(name: string, titles: readonly string[]) {
  const { call } = sharedServer()
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name })
  for (const title of titles.toReversed()) {
    const { id } = await idleSession(title)
    await call('PATCH', `/sessions/${id}/set_category`, { category_id: category.id })
  }
  const section = async () => {
    const { sections } = await call<Board>('GET', '/board')
    return sections.find(({ key }) => key === `category:${category.id}`)
  }
  return { section, stored: async () => (await section())?.cards.map(({ title }) => title) }
}

test('the menu of a row moves it up and down in its section', async () => {
  const { stored } = await makeSection('Steps of a menu', ['Step a', 'Step b', 'Step c'])
  const { page, goto, faults } = await openPage()
  await goto('/?q=Step')
  const shown = () => titlesShown(page, 'Step')
  await expect.poll(shown).toEqual(['Step a', 'Step b', 'Step c'])
  await choose(page, 'Step c', 'Move up')
  await expect.poll(stored).toEqual(['Step a', 'Step c', 'Step b'])
  await expect.poll(shown).toEqual(['Step a', 'Step c', 'Step b'])
  await choose(page, 'Step a', 'Move down')
  await expect.poll(stored).toEqual(['Step c', 'Step a', 'Step b'])
  await expect.poll(shown).toEqual(['Step c', 'Step a', 'Step b'])
  expect(faults).toEqual([])
})

test('a row that moves to the end of its section is shown there before the server answers', async () => {
  await makeSection('End of a section', ['End a', 'End b', 'End c'])
  const { page, goto, faults } = await openPage()
  await goto('/?q=End')
  await rowOf(page, 'End b').waitFor()
  const answer = await keepBack(page, '**/v1/sessions/reorder')
  await choose(page, 'End b', 'Move down')
  await expect.poll(() => titlesShown(page, 'End')).toEqual(['End a', 'End c', 'End b'])
  answer()
  expect(faults).toEqual([])
})

test('moves that are made one right after the other reach the server one at a time, in their order', async () => {
  const { stored } = await makeSection('Quick moves', ['Quick a', 'Quick b', 'Quick c', 'Quick d'])
  const { page, goto, faults } = await openPage()
  await goto('/?q=Quick')
  await rowOf(page, 'Quick a').waitFor()
  const writes = await countAtOnce(page, '**/v1/sessions/reorder')
  const shown = () => titlesShown(page, 'Quick')
  for (const expected of ['b a c d', 'b c a d', 'b c d a']) {
    await choose(page, 'Quick a', 'Move down')
    await expect.poll(shown).toEqual(expected.split(' ').map((each) => `Quick ${each}`))
  }
  writes.release()
  await expect.poll(stored).toEqual(['Quick b', 'Quick c', 'Quick d', 'Quick a'])
  expect(writes.most()).toBe(1)
  await expect.poll(shown).toEqual(['Quick b', 'Quick c', 'Quick d', 'Quick a'])
  expect(faults).toEqual([])
})

test('a row whose move is refused goes back to its place though the board is not read again', async () => {
  await makeSection('Refused moves', ['Back a', 'Back b', 'Back c'])
  const { page, goto } = await openPage()
  await goto('/?q=Back')
  await rowOf(page, 'Back a').waitFor()
  // No read of the board is answered from here on.
  await page.route('**/v1/board?*', () => undefined)
  const write = await holdBack(page, '**/v1/sessions/reorder')
  await choose(page, 'Back a', 'Move down')
  await expect.poll(() => titlesShown(page, 'Back')).toEqual(['Back b', 'Back a', 'Back c'])
  await write.refuse('The order is fixed')
  await expect.poll(() => titlesShown(page, 'Back')).toEqual(['Back a', 'Back b', 'Back c'])
})

test('a row is dragged to another place of its section', async () => {
  const { stored } = await makeSection('Dragged inside', ['Drag a', 'Drag b', 'Drag c'])
  const { page, goto, faults } = await openPage()
  await goto('/?q=Drag')
  await expect.poll(() => titlesShown(page, 'Drag')).toEqual(['Drag a', 'Drag b', 'Drag c'])
  await drag(page, rowOf(page, 'Drag c'), rowOf(page, 'Drag a'))
  await expect.poll(stored).toEqual(['Drag c', 'Drag a', 'Drag b'])
  await expect.poll(() => titlesShown(page, 'Drag')).toEqual(['Drag c', 'Drag a', 'Drag b'])
  expect(faults).toEqual([])
})

test('a row of the ranked view is dragged and moved to another place, which its precedence keeps', async () => {
  const { call } = sharedServer()
  for (const title of ['Rank a', 'Rank b', 'Rank c', 'Rank d']) await idleSession(title)
  await idleSession('Rank first', { scheduling_class: 'priority' })
  const stored = async () => {
    const { sections } = await call<Board>('GET', '/board?view=ranked&q=Rank')
    return sections.flatMap(({ cards }) => cards.map(({ title }) => title))
  }
  const { page, goto, faults } = await openPage()
  await goto('/?view=ranked&q=Rank')
  const expectOrder = async (...names: string[]) => {
    const titles = ['first', ...names].map((name) => `Rank ${name}`)
    await expect.poll(stored).toEqual(titles)
    await expect.poll(() => titlesShown(page, 'Rank')).toEqual(titles)
  }
  await expectOrder('a', 'b', 'c', 'd')
  await drag(page, rowOf(page, 'Rank d'), rowOf(page, 'Rank b'))
  await expectOrder('a', 'd', 'b', 'c')
  await choose(page, 'Rank c', 'Move up')
  await expectOrder('a', 'd', 'c', 'b')
  await choose(page, 'Rank a', 'Move down')
  await expectOrder('d', 'a', 'c', 'b')
  // Above a session of the priority class it is the first of its own class.
  await drag(page, rowOf(page, 'Rank b'), rowOf(page, 'Rank first'))
  await expectOrder('b', 'd', 'a', 'c')
  expect(faults).toEqual([])
})

test('a section that is moved or frozen shows it before the server answers, and goes back if it is refused', async () => {
  await makeSection('Upper section', ['Sect a'])
  const { section } = await makeSection('Lower section', ['Sect b'])
  const { page, goto } = await openPage()
  await goto('/?q=Sect')
  await rowOf(page, 'Sect b').waitFor()
  const shown = () => titlesShown(page, 'Sect')
  const before = await shown()
  const direction = before[0] === 'Sect b' ? 'down' : 'up'
  // No read of the board is answered from here on.
  await page.route('**/v1/board?*', () => undefined)
  const order = await holdBack(page, '**/v1/categories/reorder')
  await choose(page, 'Lower section', `Move section ${direction}`)
  await expect.poll(shown).toEqual(before.toReversed())
  await order.refuse('The sections are fixed')
  await expect.poll(shown).toEqual(before)
  const freeze = await holdBack(page, '**/v1/categories/*')
  const badge = page.getByText('frozen', { exact: true })
  await choose(page, 'Lower section', 'Freeze')
  await badge.waitFor()
  await freeze.refuse('It is too warm')
  await badge.waitFor({ state: 'detached' })
  await expect.poll(async () => (await section())?.frozen).toBeUndefined()
})

test('a category is frozen and thawed by its menu', async () => {
  const { section } = await makeSection('Thaws again', ['Cold one'])
  const { page, goto, faults } = await openPage()
  await goto('/?q=Cold')
  await choose(page, 'Thaws again', 'Freeze')
  await page.getByText('frozen', { exact: true }).waitFor()
  await expect.poll(async () => (await section())?.frozen).toBe(true)
  await choose(page, 'Thaws again', 'Thaw')
  await page.getByText('frozen', { exact: true }).waitFor({ state: 'detached' })
  await expect.poll(async () => (await section())?.frozen).toBeUndefined()
  expect(faults).toEqual([])
})

test('the menu of a category selects its sessions and no others', async () => {
  await makeSection('All of these', ['Pick a', 'Pick b'])
  await idleSession('Pick outside')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Pick')
  await rowOf(page, 'Pick outside').waitFor()
  await choose(page, 'All of these', 'Select its sessions')
  await page.getByRole('region', { name: 'Selected sessions' }).getByText('2 selected').waitFor()
  const isChecked = (title: string) => page.getByRole('checkbox', { name: `Select ${title}` }).isChecked()
  expect(await Promise.all(['Pick a', 'Pick b', 'Pick outside'].map(isChecked))).toEqual([true, true, false])
  expect(faults).toEqual([])
})
