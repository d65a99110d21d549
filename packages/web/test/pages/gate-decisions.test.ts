import { beforeAll, describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'

const pr = 'https://forge.example/acme/yard/pull/77'
let held = 0

beforeAll(async () => {
  const { call } = sharedServer()
  const record = async (entry: object, gate = 'pr_merge') => {
    const { gate_decision } = await call<{ gate_decision: { id: number } }>('POST', '/gate_decisions', {
      gate,
      surface: 'yard uploads',
      entry,
    })
    return gate_decision.id
  }
  held = await record({ pr, title: 'Retry lost uploads', decision: 'hold', decided_at: '2026-08-22', why: 'no test' })
  await record({ pr, title: 'Retry lost uploads', decision: 'merge', decided_at: '2026-08-23' })
  const issue = 'https://forge.example/acme/yard/issues/5'
  await record({ issue, title: 'Name the failed file', decision: 'accept', decided_at: '2026-08-20' }, 'issue_work')
})

test('searches and filters the ledger in the address, and marks a decision that was corrected', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/gate_decisions')
  const table = page.getByRole('table', { name: 'Gate decisions' })
  await table.getByRole('link', { name: 'Name the failed file' }).waitFor()
  await table.getByText('corrected').first().waitFor()
  await page.getByLabel('Gate', { exact: true }).selectOption('Merge')
  await expect.poll(() => new URL(page.url()).search).toBe('?gate=pr_merge')
  await expect.poll(() => table.getByRole('link', { name: 'Name the failed file' }).count()).toBe(0)
  await page.getByLabel('Search', { exact: true }).fill('no test')
  await page.keyboard.press('Enter')
  await expect.poll(() => table.getByRole('link').count()).toBe(1)
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await page.getByLabel('Surface', { exact: true }).selectOption('yard_uploads')
  await page.getByLabel('Decision', { exact: true }).selectOption('merge')
  await expect.poll(() => new URL(page.url()).searchParams.get('decision')).toBe('merge')
  await expect.poll(() => table.getByRole('link').count()).toBe(1)
  expect(faults).toEqual([])
})

test('records what a person thinks of a decision, which only a browser can', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/gate_decisions/${held}`)
  await page.getByText('A later decision corrects this one').waitFor()
  await page.getByRole('list', { name: 'Other decisions about the same artifact' }).getByText('merge').waitFor()
  await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('Ada')
  await page.getByLabel('Verdict').fill('too strict')
  await page.getByLabel('Note').fill('The test was in the next commit.')
  await page.getByRole('button', { name: 'Record the feedback' }).click()
  const feedback = page.getByRole('list', { name: 'Feedback' })
  await feedback.getByText('The test was in the next commit.').waitFor()
  await feedback.getByText('too strict').waitFor()
  await expect.poll(() => page.getByLabel('Note').inputValue()).toBe('')
  await goto('/gate_decisions?feedback=true')
  await page.getByRole('table', { name: 'Gate decisions' }).getByText('too strict').waitFor()
  expect(faults).toEqual([])
})

test('the addresses and the entry of a decision are copied', async () => {
  const { page, context, goto, faults } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/gate_decisions/${held}`)
  await page.getByRole('button', { name: 'Copy address of the artifact' }).click()
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(clipboard).toBe(pr)
  await page.getByRole('button', { name: 'Copy entry' }).click()
  await expect.poll(async () => JSON.parse(await clipboard())).toMatchObject({ pr, why: 'no test' })
  expect(faults).toEqual([])
})

test('a decision and a feedback appear by themselves', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  const other = await openPage()
  await goto('/gate_decisions')
  await page.getByRole('link', { name: 'Name the failed file' }).waitFor()
  const { gate_decision } = await call<{ gate_decision: { id: number } }>('POST', '/gate_decisions', {
    gate: 'pr_merge',
    surface: 'yard uploads',
    entry: { title: 'Decided meanwhile', decision: 'hold' },
  })
  await page.getByRole('link', { name: 'Decided meanwhile' }).click()
  await page.getByRole('heading', { name: 'Decided meanwhile' }).waitFor()
  await other.goto(`/gate_decisions/${gate_decision.id}`)
  await other.page.getByLabel('Verdict').fill('too strict')
  await other.page.getByLabel('Note').fill('given elsewhere')
  await other.page.getByRole('button', { name: 'Record the feedback' }).click()
  await page.getByText('given elsewhere').waitFor()
  expect(faults).toEqual([])
})

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('the ledger and one decision have no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    for (const [path, name] of [
      ['/gate_decisions', 'gates'],
      [`/gate_decisions/${held}`, 'gate'],
    ]) {
      await goto(String(path))
      await page.getByText('Retry lost uploads').first().waitFor()
      await screenshot(page, `${name}-${look.size}-${look.theme}`)
      expect(await axe(page)).toEqual([])
      expect(await overflows(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })
})
