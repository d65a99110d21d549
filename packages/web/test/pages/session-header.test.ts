import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, keepBack, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { isAtWork } from '../support/sessions.ts'

type Session = {
  status: string
  title: string
  goal: string | null
  favorited: boolean
  session_notes: string | null
  heartbeat_enabled: boolean
  scheduling_class: string | null
  precedence: number
  category_id: number | null
}

async function started(prompt: string, title: string) {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    prompt,
    title,
    agent_root: 'sample',
  })
  const read = async () => (await call<{ session: Session }>('GET', `/sessions/${session.id}`)).session
  return { id: session.id, read }
}

test('edits title and goal in place, and marks a favourite', async () => {
  const { id, read } = await started('say hello', 'Old title')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Edit the title' }).click()
  await page.getByRole('textbox', { name: 'title' }).fill('New title')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New title' }).waitFor()
  await page.getByRole('button', { name: 'Edit the goal' }).click()
  await page.getByRole('textbox', { name: 'goal' }).fill('All tests green')
  await page.keyboard.press('Enter')
  await page.getByText('All tests green').waitFor()
  await page.getByRole('button', { name: 'Make it a favourite' }).click()
  await expect
    .poll(async () => ({ ...(await read()) }))
    .toMatchObject({ title: 'New title', goal: 'All tests green', favorited: true })
})

test.each(['title', 'goal'])(
  'an edit of the %s gives the focus back to its pencil, unless the person goes elsewhere',
  async (name) => {
    const { id } = await started('say hello', 'Edited by keys')
    const { page, goto } = await openPage()
    await goto(`/sessions/${id}`)
    const pencil = page.getByRole('button', { name: `Edit the ${name}` })
    const field = page.getByRole('textbox', { name })
    const composer = page.getByRole('textbox', { name: 'Message', exact: true })
    const hasFocus = (button: Locator) => button.evaluate((element) => element === document.activeElement)
    for (const key of ['Enter', 'Escape']) {
      await pencil.click()
      await field.fill(`Ended by ${key}`)
      await page.keyboard.press(key)
      await field.waitFor({ state: 'detached' })
      await expect.poll(() => hasFocus(pencil)).toBe(true)
    }
    await pencil.click()
    await field.fill('Left')
    await composer.click()
    await field.waitFor({ state: 'detached' })
    expect(await hasFocus(composer)).toBe(true)
  },
)

test('the goal and the status of a session stand on one line', async () => {
  const { id } = await started('say hello', 'On one line')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const textTop = (text: string) =>
    page.getByText(text, { exact: true }).evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().top
    })
  await page.getByText('no summary yet', { exact: true }).waitFor()
  for (const text of ['Status', 'none', 'no summary yet']) expect(await textTop(text)).toBe(await textTop('Goal'))
})

test('the header of a session keeps its height when the models are read', async () => {
  const { id } = await started('say hello', 'Keeps its height')
  const { page, goto } = await openPage()
  const release = await keepBack(page, /\/v1\/configs/)
  await goto(`/sessions/${id}`)
  await page.getByText('no summary yet', { exact: true }).waitFor()
  const height = () => page.locator('header', { hasText: 'Keeps its height' }).evaluate((header) => header.clientHeight)
  const before = await height()
  release()
  await page.getByRole('button', { name: 'Demo', exact: true }).waitFor()
  expect(await height()).toBe(before)
})

test('changes category, class, precedence, heartbeat and pushes, and saves notes as they are written', async () => {
  const { call } = sharedServer()
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', {
    name: `Release ${Date.now()}`,
  })
  const { id, read } = await started('say hello', 'Settings')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  await page.getByRole('combobox', { name: 'Category' }).selectOption(String(category.id))
  await expect.poll(async () => (await read()).category_id).toBe(category.id)
  await page.getByRole('combobox', { name: 'Class' }).selectOption('priority')
  await expect.poll(async () => (await read()).scheduling_class).toBe('priority')
  await page.getByRole('textbox', { name: 'Precedence' }).fill('7')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read()).precedence).toBe(7)
  await page.getByRole('switch', { name: /^Heartbeat/ }).click()
  await expect.poll(async () => (await read()).heartbeat_enabled).toBe(true)
  await page.getByRole('switch', { name: /^Push to devices/ }).click()
  const pushes = async () =>
    (await call<{ push_notifications_enabled: boolean }>('GET', `/sessions/${id}/push_notifications`))
      .push_notifications_enabled
  await expect.poll(pushes).toBe(false)
  await page.getByRole('tab', { name: 'Notes' }).click()
  await page.getByRole('textbox', { name: 'Notes' }).fill('Ask Ada about the lease')
  await expect.poll(async () => (await read()).session_notes).toBe('Ask Ada about the lease')
  await page.getByText(/^Saved/).waitFor()
})

test('archives with an undo, and asks first when messages are queued', async () => {
  const { call } = sharedServer()
  const { id, read } = await started('say hello', 'To archive')
  await expect.poll(async () => (await read()).status).toBe('needs_input')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByText('In the trash').waitFor()
  await page.getByText('An archived session takes no messages. Unarchive it to write to it.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await read()).status).toBe('needs_input')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'sleep 600' })
  await expect.poll(() => isAtWork(id)).toBe(true)
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say never delivered' })
  await page.getByText('becomes 2nd in the queue').waitFor()
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByRole('button', { name: 'Archive anyway' }).click()
  await page.getByText('In the trash').waitFor()
  await page.getByText('The agent never got these.').waitFor()
  await page.getByRole('button', { name: 'Unarchive' }).first().click()
  await page.getByText('In the trash').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Put back' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('never delivered').waitFor()
})

test('pauses, sleeps, wakes, forks and summarises a session from its header', async () => {
  const { id, read } = await started('say hello\nsleep 600', 'Header')
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('hello').waitFor()
  await page.getByRole('button', { name: /^Pause/ }).click()
  await page.getByText('paused it').waitFor()
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Sleep')
  await page.getByText('Fell asleep').waitFor()
  await page.getByRole('button', { name: 'Write a new summary' }).click()
  await choose('Copy the transcript')
  await page.getByText('Transcript copied').waitFor()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('hello')
  await page.getByRole('button', { name: 'Wake' }).click()
  await page.getByText('Fell asleep').waitFor({ state: 'detached' })
  expect((await read()).status).not.toBe('archived')
  await choose('Fork at the last entry')
  await page.waitForURL((url) => url.pathname !== `/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('hello').waitFor()
})

test('says why a session failed, and restarts it', async () => {
  const { id } = await started('fail the disk is full', 'Fails')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText(/^Failed: /).waitFor()
  // A short reason is read without a click.
  await page.getByRole('status').getByText('the disk is full', { exact: true }).waitFor()
  await screenshot(page, 'session-failed')
  await page.getByText('waits in the queue until you restart the session').waitFor()
  await page.getByRole('button', { name: 'Restart' }).click()
  // It fails again, perhaps before the page has drawn that it runs.
  const turns = async () => (await sharedServer().call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns
  await expect.poll(async () => (await turns()).length).toBe(2)
})

test('answers a question of the agent on the session page, and says what does not fit', async () => {
  const { id } = await started('ask Which of the two?\nsay Thank you', 'Asks')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText("answer can't be blank").waitFor()
  await page.getByText(/expires in/).waitFor()
  await page.locator('header').getByText('Asks you').waitFor()
  await page.getByRole('textbox', { name: 'Answer' }).fill('The second')
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('button', { name: 'Accept' }).waitFor({ state: 'detached' })
  await screenshot(page, 'session-answered')
  await page.getByRole('article', { name: 'Agent' }).getByText('Answer: The second').waitFor()
  await page.locator('header').getByText('At rest').waitFor()
})

test.each(['light', 'dark'] as const)(
  'on a phone in the %s theme every action of the header is in a menu that a thumb reaches',
  async (theme) => {
    const { id, read } = await started('run sleep 900', 'Held in one hand')
    await expect.poll(() => isAtWork(id)).toBe(true)
    const { page, goto, faults } = await openPage({ size: 'phone', theme })
    await goto(`/sessions/${id}`)
    const opener = page.getByRole('button', { name: 'Actions', exact: true })
    const open = async () => {
      await opener.click()
      await page.getByRole('menu', { name: 'Actions of the session' }).waitFor()
    }
    await open()
    await screenshot(page, `session-actions-phone-${theme}`)
    // Ariakit's traps send the focus back into the menu; they hold nothing to read.
    expect((await axe(page)).filter((line) => !line.includes('__focus-trap'))).toEqual([])
    const box = await opener.boundingBox()
    const menu = await page.getByRole('menu').boundingBox()
    // In the lower half of the window, and whole.
    expect(box?.y).toBeGreaterThan(844 / 2)
    expect(menu?.y).toBeGreaterThanOrEqual(0)
    expect(Number(menu?.y) + Number(menu?.height)).toBeLessThanOrEqual(844)
    await page.getByRole('menuitem', { name: 'Make a favourite' }).click()
    await expect.poll(async () => (await read()).favorited).toBe(true)
    await open()
    await page.getByRole('menuitem', { name: 'Find in the transcript' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?find=')
    await open()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await expect.poll(async () => (await read()).status).toBe('needs_input')
    await open()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    // The page knows it too: a menu that is open keeps its items.
    await page.getByText('In the trash').waitFor()
    await open()
    await page.getByRole('menuitem', { name: 'Unarchive' }).click()
    await expect.poll(async () => (await read()).status).toBe('needs_input')
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  },
)
