import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'

type Sessions = { sessions: { id: number; title: string; category: { name: string } | null }[] }

test('a newcomer starts the demo session with two clicks and lands on it', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/')
  await page.getByRole('link', { name: 'New session' }).first().click()
  await page.getByRole('button', { name: 'Start the demo' }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  await page.getByText('A tour with the demo agent').first().waitFor()
  expect(faults).toEqual([])
})

test('a newcomer queues a message for the demo session, answers it, interrupts it, archives it and takes that back', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/sessions/new')
  await page.getByRole('button', { name: 'Start the demo' }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  const field = page.getByRole('textbox', { name: 'Message' })
  const said = (words: string) => page.getByRole('article', { name: 'Agent' }).getByText(words, { exact: true })
  await page.getByLabel('Answer').fill('The signal box')
  await field.fill('say This was queued')
  await page.getByRole('button', { name: 'Queue' }).click()
  await page.getByRole('list', { name: 'Queue' }).getByText('say This was queued').waitFor()
  await page.getByRole('button', { name: 'Accept' }).click()
  await said('This was queued').waitFor()
  await page.getByText('starts the next turn now').waitFor()
  await field.fill('say I sleep now\nsleep 600')
  await page.getByRole('button', { name: 'Send' }).click()
  await said('I sleep now').waitFor()
  await field.fill('say I was interrupted')
  await page.getByRole('button', { name: 'Interrupt' }).click()
  await said('I was interrupted').waitFor()
  await page.getByText('starts the next turn now').waitFor()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByText('In the trash').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('In the trash').waitFor({ state: 'detached' })
  await field.waitFor()
  expect(faults).toEqual([])
})

test('the button that starts a session stays in sight above the end of a long form', async () => {
  const { page, goto } = await openPage({ size: 'phone' })
  await goto('/sessions/new')
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Goal').waitFor()
  await page.locator('main').evaluate((main) => main.scrollTo(0, 0))
  const { bottom, end } = await page.getByRole('button', { name: 'Start', exact: true }).evaluate((button) => ({
    bottom: button.getBoundingClientRect().bottom,
    end: document.querySelector('main')?.getBoundingClientRect().bottom ?? 0,
  }))
  expect(bottom).toBeLessThan(end)
})

test('a session is made with what the form names, keeps its draft over a reload, and goes into its category', async () => {
  const { call } = sharedServer()
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name: 'Made by a form' })
  const { page, faults, goto } = await openPage()
  await goto('/sessions/new')
  const prompt = page.getByRole('textbox', { name: 'What should the agent do?' })
  await prompt.fill('say One made by the form')
  await page.getByText('Draft kept in this browser').waitFor()
  await page.reload()
  await expect.poll(() => prompt.inputValue()).toBe('say One made by the form')
  await page.getByLabel('Runtime').selectOption('demo')
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Title').fill('One made by the form')
  await page.getByLabel('Goal').fill('Say it')
  await page.getByLabel('Class').selectOption('priority')
  await page.getByLabel('Category').selectOption(String(category.id))
  await page.getByRole('switch', { name: /Ask before it acts/ }).check()
  await page.getByRole('button', { name: 'Choose Skills' }).click()
  await page.getByRole('group', { name: 'Skills' }).getByRole('checkbox').first().check()
  await screenshot(page, 'new-session-filled')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  const { session } = await call<{ session: Record<string, unknown> }>(
    'GET',
    page.url().replace(/.*(?=\/sessions)/, ''),
  )
  expect(session).toMatchObject({
    title: 'One made by the form',
    goal: 'Say it',
    agent_runtime: 'demo',
    genesis: 'web_ui',
    priority_class: 'priority',
    category: { name: 'Made by a form' },
    config: { permissions: 'ask' },
  })
  await goto('/sessions/new')
  await expect.poll(() => prompt.inputValue()).toBe('')
  expect(faults).toEqual([])
})

test('a double click on Start makes one session', async () => {
  const { call } = sharedServer()
  const { page, goto } = await openPage()
  await goto('/sessions/new')
  await page.getByRole('textbox', { name: 'What should the agent do?' }).fill('say Only once')
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Title').fill('Pressed twice')
  const start = page.getByRole('button', { name: 'Start', exact: true })
  await expect.poll(() => start.isEnabled()).toBe(true)
  // Both presses before the page can draw the first one.
  await start.evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  await page.waitForURL(/\/sessions\/\d+$/)
  const { sessions } = await call<Sessions>('GET', '/sessions/search?q=Pressed+twice')
  expect(sessions).toHaveLength(1)
})

test('a refusal is shown in the sentences of the API, and what was typed stays', async () => {
  const { page, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/sessions/new')
  await page.getByRole('textbox', { name: 'What should the agent do?' }).fill('say Refused')
  await page.getByLabel('Branch').fill('no such branch..')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/branch/i)
    .waitFor()
  await screenshot(page, 'new-session-refused-phone')
  await expect.poll(() => page.getByLabel('Branch').inputValue()).toBe('no such branch..')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

test('the form says that the catalog could not be loaded, before a session is made of what was there before', async () => {
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await page.route('**/web/*/v1/catalog', async (route) => {
    const answer = await route.fetch()
    const { catalog } = await answer.json()
    await route.fulfill({
      response: answer,
      json: { catalog: { ...catalog, degraded: true, error: 'roots.json: no url' } },
    })
  })
  await goto('/sessions/new')
  await page
    .getByText('The files of the catalog are invalid, so the last valid ones are used. roots.json: no url')
    .waitFor()
  expect(await overflows(page)).toEqual([])
  await page.getByRole('link', { name: 'See the catalog' }).click()
  await page.waitForURL('**/catalog')
  await page.getByText('roots.json: no url').waitFor()
  expect(faults).toEqual([])
})
