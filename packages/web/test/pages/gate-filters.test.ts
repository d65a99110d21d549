import { beforeAll, expect, test } from 'vitest'
import { axe, keepBack, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

type Decision = { id: number; human_feedback: { verdict: string; note: string | null; author: string }[] }

const pr = 'https://forge.example/acme/yard/pull/81'
const days = ['2026-08-20', '2026-08-21', '2026-08-22'] as const
const ids: number[] = []

beforeAll(async () => {
  for (const [index, decided_at] of days.entries()) {
    const entry = { title: `Decided on ${decided_at}`, decision: index === 0 ? 'hold' : 'merge', decided_at }
    const { gate_decision } = await sharedServer().call<{ gate_decision: Decision }>('POST', '/gate_decisions', {
      gate: 'pr_merge',
      surface: index < 2 ? 'yard uploads' : 'yard signals',
      // The first two are about one pull request: the second corrects the first.
      entry: { ...entry, ...(index < 2 && { pr }) },
    })
    ids.push(gate_decision.id)
  }
})

async function feedbackOf(id = 0): Promise<Decision['human_feedback']> {
  const { gate_decision } = await sharedServer().call<{ gate_decision: Decision }>('GET', `/gate_decisions/${id}`)
  return gate_decision.human_feedback
}

test('the ledger is narrowed to decisions of some days, and all filters are cleared at once', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/gate_decisions')
  const rows = page.getByRole('table', { name: 'Gate decisions' }).getByRole('link')
  const shown = () => rows.allInnerTexts()
  await expect.poll(shown).toHaveLength(3)
  await page.getByLabel('Decided from').fill('2026-08-21')
  await expect.poll(shown).toEqual(['Decided on 2026-08-22', 'Decided on 2026-08-21'])
  await page.getByLabel('Decided to').fill('2026-08-21')
  await expect.poll(shown).toEqual(['Decided on 2026-08-21'])
  expect(new URL(page.url()).search).toBe('?from=2026-08-21&to=2026-08-21')
  await page.reload()
  await expect.poll(shown).toEqual(['Decided on 2026-08-21'])
  expect(await page.getByLabel('Decided to').inputValue()).toBe('2026-08-21')
  await screenshot(page, 'gates-of-a-day')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByLabel('Decided from').fill('')
  await expect.poll(shown).toEqual(['Decided on 2026-08-21', 'Decided on 2026-08-20'])
  await page.getByLabel('Decided to').fill('2026-08-19')
  await page.getByText('No decision matches').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect.poll(shown).toHaveLength(3)
  await expect.poll(() => page.getByLabel('Decided to').inputValue()).toBe('')
  expect(faults).toEqual([])
})

test('feedback that the API refuses stays in the form over a reload, and the switch lists decisions with feedback', async () => {
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  const [, , id] = ids
  await goto(`/gate_decisions/${id}`)
  await page.getByLabel('Verdict').fill('   ')
  await page.getByLabel('Your name').fill('Grace')
  await page.getByLabel('Note').fill('The test covers it.')
  await page.getByRole('button', { name: 'Record the feedback' }).click()
  await page
    .getByRole('alert')
    .getByText(/Verdict can't be blank/)
    .waitFor()
  expect(await feedbackOf(id)).toEqual([])
  await screenshot(page, 'gate-refused-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.reload()
  await expect.poll(() => page.getByLabel('Note').inputValue()).toBe('The test covers it.')
  await page.getByLabel('Verdict').fill('agree')
  await page.getByLabel('Your name').fill('Grace')
  await page.getByRole('button', { name: 'Record the feedback' }).click()
  await page.getByText('Your feedback is recorded').waitFor()
  expect(await feedbackOf(id)).toMatchObject([{ verdict: 'agree', note: 'The test covers it.', author: 'Grace' }])
  await page.getByRole('link', { name: 'All decisions' }).click()
  const rows = page.getByRole('table', { name: 'Gate decisions' }).getByRole('link')
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('switch', { name: 'With feedback' }).click()
  await expect.poll(() => rows.allInnerTexts()).toEqual(['Decided on 2026-08-22'])
  await page.getByRole('switch', { name: 'With feedback' }).click()
  await expect.poll(() => rows.count()).toBe(3)
  expect(faults).toEqual([])
})

test('a corrected decision is marked where the filters hide its correction, which they offer', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/gate_decisions?decision=hold')
  const table = page.getByRole('table', { name: 'Gate decisions' })
  await expect.poll(() => table.getByRole('link').allInnerTexts()).toEqual(['Decided on 2026-08-20'])
  await table.getByText('corrected', { exact: true }).waitFor()
  // The filters offer what the page does not show.
  await page.getByLabel('Decision', { exact: true }).selectOption('merge')
  await expect.poll(() => table.getByRole('link').count()).toBe(2)
  expect(await table.getByText('corrected', { exact: true }).count()).toBe(0)
  await page.getByLabel('Surface', { exact: true }).selectOption('yard_uploads')
  await expect.poll(() => table.getByRole('link').allInnerTexts()).toEqual(['Decided on 2026-08-21'])
  await page.getByLabel('Surface', { exact: true }).selectOption('yard_signals')
  await expect.poll(() => table.getByRole('link').allInnerTexts()).toEqual(['Decided on 2026-08-22'])
  expect(faults).toEqual([])
})

test('a decision leads to the one that corrects it, and that one back', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/gate_decisions/${ids[0]}`)
  await page.getByText('A later decision corrects this one').waitFor()
  const others = page.getByRole('list', { name: 'Other decisions about the same artifact' })
  await others.getByRole('link', { name: 'Decided on 2026-08-21' }).click()
  await page.waitForURL(`**/gate_decisions/${ids[1]}`)
  await page.getByText('This decision corrects earlier ones').waitFor()
  await others.getByRole('link', { name: 'Decided on 2026-08-20' }).waitFor()
  expect(await page.getByRole('link', { name: pr }).getAttribute('href')).toBe(pr)
  expect(faults).toEqual([])
})

test('a decision is not shown under the address of another one that is being read', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/gate_decisions/${ids[0]}`)
  const answer = await keepBack(page, `**/v1/gate_decisions/${ids[1]}`)
  await page.getByRole('link', { name: 'Decided on 2026-08-21' }).click()
  await page.waitForURL(`**/gate_decisions/${ids[1]}`)
  await page.getByRole('heading', { level: 1, name: `Decision ${ids[1]}`, exact: true }).waitFor()
  expect(await page.getByText('What people think of it').count()).toBe(0)
  answer()
  await page.getByRole('heading', { level: 1, name: 'Decided on 2026-08-21' }).waitFor()
  expect(faults).toEqual([])
})

test('the ledger is read page by page', async () => {
  const { page, faults, goto } = await openPage()
  // The server gives pages of two, so that three decisions are enough for this.
  await page.route('**/web/*/v1/gate_decisions?*per_page=50*', (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('per_page', '2')
    return route.continue({ url: url.href })
  })
  await goto('/gate_decisions')
  const shown = () => page.getByRole('table', { name: 'Gate decisions' }).getByRole('link').allInnerTexts()
  await expect.poll(shown).toEqual(['Decided on 2026-08-22', 'Decided on 2026-08-21'])
  await page.getByText('1 to 2 of 3').waitFor()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect.poll(shown).toEqual(['Decided on 2026-08-20'])
  await page.getByText('3 to 3 of 3').waitFor()
  expect(new URL(page.url()).search).toBe('?page=2')
  expect(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect.poll(shown).toHaveLength(2)
  expect(faults).toEqual([])
})
