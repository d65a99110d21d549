import { expect, test } from 'vitest'
import { openPage, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

test('a session is forked from one of its messages, and the fork knows nothing of what came later', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Forked in the middle', 'say The first answer\nsay The second answer')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const first = page.getByRole('article', { name: 'Agent' }).filter({ hasText: 'The first answer' })
  await first.hover()
  await first.getByRole('button', { name: 'Fork from here' }).click()
  await page.waitForURL((url) => url.pathname !== `/sessions/${id}`)
  await first.waitFor()
  const { entries } = await call<{ entries: { parts: { text: string }[] }[] }>(
    'GET',
    `${new URL(page.url()).pathname}/entries`,
  )
  const said = entries.flatMap(({ parts }) => parts.map(({ text }) => text))
  expect(said.at(-1)).toBe('The first answer')
  // The address changes before the page does.
  await expect.poll(() => page.getByRole('article', { name: 'Agent' }).count()).toBe(1)
  expect(faults).toEqual([])
})

test('the text of a message is copied as it was written', async () => {
  const { id } = await makeSession('Copied', 'say The **lease** is `renewed` twice')
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/sessions/${id}`)
  const message = page.getByRole('article', { name: 'Agent' })
  await message.hover()
  await message.getByRole('button', { name: 'Copy the text' }).click()
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('The **lease** is `renewed` twice')
})

test('a long message is shown by its beginning, and as a whole on demand', async () => {
  const { id } = await makeSession('Says a lot', `say ${'so many words '.repeat(2_000)}until the end.`)
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const message = page.getByRole('article', { name: 'Agent' })
  const end = message.getByText('until the end.')
  await message.getByText('so many words').first().waitFor()
  expect(await end.count()).toBe(0)
  await message.getByRole('button', { name: 'Whole message' }).click()
  await end.waitFor()
  await message.getByRole('button', { name: 'Less' }).click()
  await end.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the earlier entries of a subagent are read on demand', async () => {
  const { id } = await makeSession('Has a subagent', 'spawn run echo looked around')
  const { page, goto, faults } = await openPage()
  // The server gives pages of one entry, so that three are enough for this.
  await page.route(/\/entries\?/, (route) => {
    const url = new URL(route.request().url())
    if (url.searchParams.get('thread') !== 'main') url.searchParams.set('limit', '1')
    return route.continue({ url: url.href })
  })
  await goto(`/sessions/${id}`)
  const subagent = page.getByRole('region', { name: /^Subagent/ })
  await subagent.getByRole('button', { name: /^Subagent/ }).click()
  const earlier = subagent.getByRole('button', { name: 'Earlier entries' })
  await earlier.waitFor()
  const prompt = subagent.getByRole('article', { name: 'Prompt' }).getByText('run echo looked around')
  expect(await prompt.count()).toBe(0)
  // One page of one entry each, and the button goes with the second.
  await earlier.click()
  await earlier.click()
  await prompt.waitFor()
  await earlier.waitFor({ state: 'detached' })
  await subagent.getByRole('button', { name: /^run echo looked around/ }).waitFor()
  await screenshot(page, 'session-subagent')
  expect(faults).toEqual([])
})
