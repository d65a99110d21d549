import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

type Session = { mcp_servers: string[]; catalog_skills: string[]; catalog_hooks: string[]; auto_compact_window: number }

async function read(id: number): Promise<Session> {
  return (await sharedServer().call<{ session: Session }>('GET', `/sessions/${id}`)).session
}

test('chooses the skills of a session from the catalog, and takes one out again', async () => {
  const { call } = sharedServer()
  const { skills } = await call<{ skills: { id: string; title: string }[] }>('GET', '/skills')
  const [skill] = skills
  const { id } = await makeSession('Gets a skill')
  const before = await read(id)
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  await page.getByRole('button', { name: 'Change the Skills' }).click()
  const dialog = page.getByRole('dialog', { name: 'Skills' })
  const box = dialog.getByRole('checkbox', { name: skill?.title ?? '', exact: true })
  const wasGiven = before.catalog_skills.includes(skill?.id ?? '')
  await box.setChecked(!wasGiven)
  await screenshot(page, 'session-skills')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Catalog skills updated').waitFor()
  await expect.poll(async () => (await read(id)).catalog_skills.includes(skill?.id ?? '')).toBe(!wasGiven)
  await page.getByRole('button', { name: 'Change the Skills' }).click()
  await box.setChecked(wasGiven)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await read(id)).catalog_skills).toEqual(before.catalog_skills)
  expect(faults).toEqual([])
})

test('names the servers that someone has to authorise when the new list needs it', async () => {
  const { id } = await makeSession('Needs a sign-in')
  const { page, goto } = await openPage({ size: 'phone', theme: 'dark' })
  // The sample catalog has no server that needs a sign-in, so that the answer about one is given here.
  await page.route('**/web/*/v1/sessions/*/mcp_servers', async (route) => {
    const answer = await route.fetch()
    const servers = [{ server_name: 'linear', server_url: 'https://linear.example/mcp' }]
    const json = { ...(await answer.json()), oauth_required: true, oauth_required_servers: servers }
    await route.fulfill({ response: answer, json })
  })
  await goto(`/sessions/${id}?tab=info`)
  await page.getByRole('button', { name: 'Change the MCP servers' }).click()
  const dialog = page.getByRole('dialog', { name: 'MCP servers' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('link', { name: 'linear' }).waitFor()
  await screenshot(page, 'session-servers-authorise-phone')
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
})

test('changes the compaction window, and shows a refusal in the sentence of the API', async () => {
  const id = await unprompted('runtime_alpha', 'Compacts sooner')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  const field = page.getByRole('textbox', { name: 'Compaction window' })
  await field.fill('200000')
  await field.press('Enter')
  await expect.poll(async () => (await read(id)).auto_compact_window).toBe(200_000)
  await field.fill('0')
  await field.press('Enter')
  await expect
    .poll(() => page.getByRole('status').allInnerTexts())
    .toContainEqual(expect.stringContaining('Auto compact window must be greater than or equal to 1'))
  await screenshot(page, 'session-compaction-window')
  expect(await axe(page)).toEqual([])
})

test('offers a compaction window only on a runtime that takes one, in the form and on the page', async () => {
  const { call } = sharedServer()
  const { page, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto(`/sessions/${await unprompted('demo', 'Never compacts')}?tab=info`)
  await page.getByText('Precedence').waitFor()
  expect(await page.getByRole('textbox', { name: 'Compaction window' }).count()).toBe(0)
  await goto('/sessions/new')
  await page.getByRole('textbox', { name: 'What should the agent do?' }).fill('say Hello')
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Runtime').selectOption('runtime_beta')
  await page.getByLabel('Compact at').fill('90000')
  await screenshot(page, 'new-session-compact-at-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByLabel('Runtime').selectOption('demo')
  await page.getByLabel('Compact at').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  const { session } = await call<{ session: Session }>('GET', new URL(page.url()).pathname)
  expect(session.auto_compact_window).toBe(1_000_000)
})

/** Without a prompt nothing runs, so no vendor's program is needed. */
async function unprompted(agent_runtime: string, title: string): Promise<number> {
  const { session } = await sharedServer().call<{ session: { id: number } }>('POST', '/sessions', {
    agent_runtime,
    title,
    agent_root: 'sample',
  })
  return session.id
}
