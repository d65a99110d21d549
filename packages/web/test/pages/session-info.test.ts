import { expect, test } from 'vitest'
import { idleSession } from '../support/board.ts'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

type Made = { session: { id: number; config: { model?: string } } }

test('the family of a session names its parent and who else told it something, with what people wrote in it', async () => {
  const { call } = sharedServer()
  const parent = await makeSession('Plans the release')
  const uncle = await makeSession('Watches the build')
  const { session: child } = await call<Made>('POST', '/sessions', {
    prompt: 'say hello',
    title: 'Writes the notes',
    agent_root: 'sample',
    parent_session_id: parent.id,
  })
  await call('POST', `/sessions/${child.id}/follow_up`, { prompt: 'say ok', acting_session_id: uncle.id })
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${parent.id}`)
  await page.getByRole('textbox', { name: 'Message' }).fill('say The notes are for people')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByText('Delivered').waitFor()
  await goto(`/sessions/${child.id}?tab=info`)
  const family = page.getByRole('region', { name: 'Family' })
  await expect
    .poll(() => family.locator('[aria-current=page]').textContent(), { message: 'the session itself is marked' })
    .toBe('Writes the notes')
  await family.getByText('told by').waitFor()
  await family.getByRole('link', { name: 'Watches the build' }).first().waitFor()
  const messages = page.getByRole('region', { name: 'Messages of people' })
  await messages.getByText('say The notes are for people').waitFor()
  await messages.getByText('Ada').waitFor()
  await screenshot(page, 'session-family')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await family.getByRole('link', { name: 'Plans the release' }).first().click()
  await page.waitForURL(`**/sessions/${parent.id}`)
  expect(faults).toEqual([])
})

test('a family that is too deep to be shown as a whole says so, and a whole one does not', async () => {
  const ids = [(await idleSession('Ancestor of many')).id]
  // Nine levels below the ancestor; eight levels are shown.
  for (let level = 1; level < 10; level += 1)
    ids.push((await idleSession(`Descendant ${level}`, { parent_session_id: ids.at(-1) })).id)
  const child = await idleSession('Child of a few', { parent_session_id: (await idleSession('Parent of a few')).id })
  const { page, goto, faults } = await openPage()
  const family = page.getByRole('region', { name: 'Family' })
  await goto(`/sessions/${ids[0]}?tab=info`)
  await family.getByRole('link', { name: 'Descendant 7', exact: true }).waitFor()
  await family.getByText(/^At most \d+ sessions and 8 levels .* are shown; the tree is larger\.$/).waitFor()
  expect(await family.getByRole('link', { name: 'Descendant 9', exact: true }).count()).toBe(0)
  expect(await overflows(page)).toEqual([])
  await goto(`/sessions/${child.id}?tab=info`)
  await family.getByRole('link', { name: 'Parent of a few' }).waitFor()
  expect(await family.getByText('the tree is larger').count()).toBe(0)
  expect(faults).toEqual([])
})

test('logs are shown by level, a turn is gone to from the menu, and links to it and to an entry are copied', async () => {
  const { url, call } = sharedServer()
  const { id } = await makeSession('Has two turns', 'say the first')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say the second' })
  // The menu of turns changes while one is underway.
  type Turns = { turns: { outcome: string | null }[] }
  const outcomes = async () => (await call<Turns>('GET', `/sessions/${id}/turns`)).turns.map(({ outcome }) => outcome)
  await expect.poll(outcomes).toEqual(['completed', 'completed'])
  await call('POST', `/sessions/${id}/logs`, { level: 'error', content: 'The disk is full' })
  await call('POST', `/sessions/${id}/logs`, { level: 'info', content: 'The disk was looked at' })
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/sessions/${id}?tab=logs`)
  await page.getByText('The disk was looked at').waitFor()
  await page.getByLabel('Level').selectOption('error')
  await page.getByText('The disk was looked at').waitFor({ state: 'detached' })
  await page.getByText('The disk is full').waitFor()
  await page.getByRole('button', { name: '2 turns' }).click()
  await page.getByRole('menuitem', { name: /^Turn 2/ }).click()
  // The entry is marked by a ring.
  await expect.poll(() => page.locator('li div[class*="shadow-["]').textContent()).toContain('say the second')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy the link' }).click()
  await page.getByText('Link copied').waitFor()
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  expect(await clipboard()).toBe(`${url}/sessions/${id}`)
  await page
    .getByRole('article', { name: 'Prompt' })
    .filter({ hasText: 'say the second' })
    .getByRole('button', { name: 'Copy the link' })
    .click()
  await expect.poll(clipboard).toMatch(/#e\d+$/)
  await goto(new URL(await clipboard()).pathname + new URL(await clipboard()).hash)
  await page.getByRole('article', { name: 'Prompt' }).filter({ hasText: 'say the second' }).waitFor()
})

test('the model of the next turn is chosen in the header', async () => {
  const { call } = sharedServer()
  type Configs = { runtime_models: Record<string, { models: { id: string; label: string }[] }> }
  const { runtime_models } = await call<Configs>('GET', '/configs')
  const models = runtime_models.runtime_alpha?.models ?? []
  // Without a prompt nothing runs, so no vendor's program is needed.
  const { session } = await call<Made>('POST', '/sessions', {
    agent_runtime: 'runtime_alpha',
    title: 'Changes its model',
    agent_root: 'sample',
  })
  const [current] = models.filter(({ id }) => id === session.config.model)
  const [other] = models.filter(({ id }) => id !== session.config.model)
  const { page, goto } = await openPage()
  await goto(`/sessions/${session.id}`)
  await page.getByRole('button', { name: current?.label ?? '', exact: true }).click()
  await page.getByRole('menuitem', { name: other?.label ?? '', exact: true }).click()
  await page.getByRole('button', { name: other?.label ?? '', exact: true }).waitFor()
  const read = async () => (await call<Made>('GET', `/sessions/${session.id}`)).session.config.model
  await expect.poll(read).toBe(other?.id)
})

test('the messages of people name what was not recorded, and what helps: here a browser without a name', async () => {
  const { call, key } = sharedServer()
  const { id } = await makeSession('Written to by a stranger')
  const { page, goto, faults } = await openPage({ isSignedOut: true })
  await page.goto(`/sessions/${id}?tab=info`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('say Who am I?')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByText('Delivered').waitFor()
  await goto(`/sessions/${id}?tab=info`)
  type Gaps = { human_message_capture_gaps: { reason: string; remedy: string }[] }
  const { human_message_capture_gaps: gaps } = await call<Gaps>('GET', `/sessions/${id}`)
  expect(gaps).toHaveLength(1)
  const messages = page.getByRole('region', { name: 'Messages of people' })
  await messages.getByText('None are recorded.').waitFor()
  await messages.getByText(`${gaps[0]?.reason} ${gaps[0]?.remedy}`).waitFor()
  await screenshot(page, 'session-capture-gap')
  expect(faults).toEqual([])
})

test('lines of the log appear while the log is open, and the summary is read as a whole on a phone', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Is summed up')
  await call('POST', `/sessions/${id}/regenerate_status_summary`)
  type Shown = { status_summary: { summary: string | null } | null }
  const summary = async () => (await call<Shown>('GET', `/sessions/${id}`)).status_summary?.summary ?? ''
  await expect.poll(summary).not.toBe('')
  const { page, goto } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}`)
  const text = page.getByRole('button', { name: await summary() })
  const closed = (await text.boundingBox())?.height ?? 0
  await text.click()
  await expect.poll(async () => (await text.boundingBox())?.height ?? 0).toBeGreaterThan(closed * 1.5)
  await goto(`/sessions/${id}?tab=logs`)
  await page.getByText('The turn ended; the session needs input.').waitFor()
  await call('POST', `/sessions/${id}/logs`, { level: 'info', content: 'A line that came later' })
  await page.getByText('A line that came later').waitFor()
})
