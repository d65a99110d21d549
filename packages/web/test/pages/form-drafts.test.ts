import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { append, listed } from '../support/backlog.ts'
import { choose } from '../support/board.ts'
import { keepBack, openPage, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger } from '../support/triggers.ts'

const { call } = sharedServer()

const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('yardmaster.draft.')))

const valuesOf = (form: Locator | Page, labels: readonly string[]) =>
  Promise.all(labels.map((label) => form.getByLabel(label, { exact: true }).inputValue()))

type Kept = {
  form: string
  path: () => Promise<string>
  /** Opens the form, and returns it. */
  open: (page: Page) => Promise<Locator>
  typed: Record<string, string>
  /** What the fields show when the draft is discarded. */
  empty: Record<string, string>
}

/** Opens a dialog by a button of the page. */
const dialogOf = (button: string, name: string) => async (page: Page) => {
  await page.getByRole('button', { name: button }).first().click()
  return page.getByRole('dialog', { name })
}

const forms: Kept[] = [
  {
    form: 'work for the backlog',
    path: async () => '/backlog',
    open: dialogOf('Add work', 'Add work'),
    typed: {
      'What is to be done': 'Keep it',
      Repository: 'acme/kept',
      Surface: 'drafts',
      Kind: 'chore',
      Prompt: 'say it',
    },
    empty: { 'What is to be done': '', Repository: '', Surface: '', Kind: 'bug', Prompt: '' },
  },
  {
    form: 'the reason why work leaves the backlog',
    path: async () => {
      await append('Leave with a reason', { repo: 'acme/leaving' })
      return '/backlog?repo=acme/leaving'
    },
    open: async (page) => {
      await page.getByRole('button', { name: 'Actions of Leave with a reason' }).first().click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      return page.getByRole('dialog', { name: 'Remove from the queue' })
    },
    typed: { Reason: 'done elsewhere' },
    empty: { Reason: '' },
  },
  {
    form: 'a budget',
    path: async () => '/costs',
    open: dialogOf('Add a budget', 'Add a budget'),
    typed: { Limit: '12' },
    empty: { Limit: '' },
  },
  {
    form: 'a category',
    path: async () => {
      // A board without sessions has no sections.
      await makeSession('Beside a new category')
      return '/'
    },
    open: async (page) => {
      await choose(page, 'Uncategorized', 'New category…')
      return page.getByRole('dialog', { name: 'New category' })
    },
    typed: { Name: 'Kept apart' },
    empty: { Name: '' },
  },
  {
    form: 'sessions to analyse',
    path: async () => '/outcomes',
    open: async (page) => {
      const dialog = await dialogOf('Analyse sessions', 'Analyse sessions')(page)
      await dialog.getByText('Named sessions').click()
      return dialog
    },
    typed: { Sessions: '790, fix-login', 'At a time': '3' },
    empty: {},
  },
  {
    form: 'what a trigger is run with',
    path: async () => `/triggers/${(await makeTrigger({ name: 'Run with a draft' })).id}`,
    open: dialogOf('Run now', 'Run Run with a draft now'),
    typed: { title: 'Half a title', author: 'ada' },
    empty: { title: '', author: '' },
  },
  {
    form: 'feedback on a gate decision',
    path: async () => {
      const { gate_decision } = await call<{ gate_decision: { id: number } }>('POST', '/gate_decisions', {
        gate: 'pr_merge',
        surface: 'drafts',
        entry: {
          pr: 'https://forge.example/acme/drafts/pull/1',
          title: 'Keep feedback',
          decision: 'hold',
          decided_at: '2026-08-22',
        },
      })
      return `/gate_decisions/${gate_decision.id}`
    },
    open: async (page) => page.locator('form', { has: page.getByLabel('Verdict') }),
    typed: { Verdict: 'too strict', 'Your name': 'Grace', Note: 'It has a test.' },
    empty: { Verdict: '', 'Your name': 'Ada', Note: '' },
  },
]

test.each(forms)(
  'what is typed into the form for $form outlives leaving the page and a reload, until it is discarded',
  async ({ path, open, typed, empty }) => {
    const { page, faults, goto } = await openPage()
    const at = await path()
    await goto(at)
    const labels = Object.keys(typed)
    const form = await open(page)
    for (const [label, text] of Object.entries(typed)) await form.getByLabel(label, { exact: true }).fill(text)
    await goto('/settings')
    await goto(at)
    await page.reload()
    const again = await open(page)
    await expect.poll(() => valuesOf(again, labels)).toEqual(Object.values(typed))
    await again.getByRole('button', { name: 'Discard the draft' }).click()
    await expect.poll(() => valuesOf(again, Object.keys(empty))).toEqual(Object.values(empty))
    expect(await drafts(page)).toEqual([])
    expect(faults).toEqual([])
  },
)

test('work that is queued leaves no draft', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/backlog')
  const dialog = await dialogOf('Add work', 'Add work')(page)
  await dialog.getByLabel('What is to be done').fill('Queue it and forget')
  await dialog.getByLabel('Repository').fill('acme/forgotten')
  await dialog.getByLabel('Surface').fill('drafts')
  await dialog.getByLabel('Prompt').fill('say it')
  await screenshot(page, 'form-draft')
  await dialog.getByRole('button', { name: 'Queue it' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await drafts(page)).toEqual([])
  expect(await listed('forgotten')).toMatchObject([{ title: 'Queue it and forget' }])
  expect(faults).toEqual([])
})

test('a title or goal that the server refuses stays in its field with the reason, and can be corrected', async () => {
  const { id } = await makeSession('Refused once')
  const read = async () => (await call<{ session: { title: string } }>('GET', `/sessions/${id}`)).session.title
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Edit the title' }).click()
  const field = page.getByRole('textbox', { name: 'title' })
  const tooLong = 'A title that goes on '.repeat(6)
  await field.fill(tooLong)
  await field.press('Enter')
  await page.getByRole('alert').getByText(/100/).waitFor()
  expect(await field.inputValue()).toBe(tooLong)
  expect(await read()).toBe('Refused once')
  await screenshot(page, 'refused-title')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe(tooLong)
  await field.fill('Short enough')
  await page.getByRole('button', { name: 'Save the title' }).click()
  await page.getByRole('heading', { name: 'Short enough' }).waitFor()
  expect(await read()).toBe('Short enough')

  await page.getByRole('button', { name: 'Edit the goal' }).click()
  const goal = page.getByRole('textbox', { name: 'goal' })
  await goal.fill('All tests green')
  await page.reload()
  await expect.poll(() => goal.inputValue()).toBe('All tests green')
  await page.getByRole('button', { name: 'Discard the change of the goal' }).click()
  await goal.waitFor({ state: 'detached' })
  expect(await drafts(page)).toEqual([])
  expect(await call('GET', `/sessions/${id}`)).toMatchObject({ session: { goal: null } })
  expect(faults).toEqual([])
})

test('a title that is typed while an earlier one is being saved stays in its field', async () => {
  const { id } = await makeSession('Saved slowly')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const release = await keepBack(page, `**/v1/sessions/${id}`)
  const pencil = page.getByRole('button', { name: 'Edit the title' })
  const field = page.getByRole('textbox', { name: 'title' })
  await pencil.click()
  await field.fill('Saved first')
  await field.press('Enter')
  await field.press('Escape')
  await pencil.click()
  await field.fill('Typed meanwhile')
  release()
  await expect
    .poll(async () => (await call<{ session: { title: string } }>('GET', `/sessions/${id}`)).session.title)
    .toBe('Saved first')
  await expect.poll(() => page.title()).toContain('Saved first')
  expect(await field.inputValue()).toBe('Typed meanwhile')
  expect(faults).toEqual([])
})

test('a full browser storage does not stop typing, sending, filters or the choice of a theme', async () => {
  const { id } = await makeSession('No room left')
  const { page, faults, goto } = await openPage()
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    }
  })
  await goto(`/sessions/${id}`)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.pressSequentially('say it anyway')
  expect(await field.inputValue()).toBe('say it anyway')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('it anyway', { exact: true }).waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  await goto('/?view=ranked&q=No+room+left')
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  await page.getByRole('link', { name: 'No room left' }).first().waitFor()
  await goto('/triggers/new')
  await page.getByLabel('Name', { exact: true }).fill('No room either')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('No room either')
  expect(faults).toEqual([])
})
