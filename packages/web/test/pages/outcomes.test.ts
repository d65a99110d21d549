import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'

serverOfFile()

let analysed = 0
let fresh = 0
let another = 0

type Part = { goal: string; kind?: 'Success' | 'Failure'; range: [string, string]; children?: Part[] }

function segment(id: string, { goal, kind = 'Success', range, children = [] }: Part): object {
  return {
    id,
    trigger: { kind: 'New', source: 'user' },
    goal: { text: goal, kind: 'Action' },
    outcome: { kind, explanation: kind === 'Success' ? 'The tests are green.' : 'A test still fails.' },
    meta: { event_range: range, wall_clock_s: 95, tokens_in: 12_000, tokens_out: 900 },
    children: children.map((child, index) => segment(`${id}.${index}`, child)),
  }
}

async function archived(title: string): Promise<number> {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    prompt: 'say done',
    title,
    agent_root: 'sample',
  })
  const status = async () =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${session.id}`)).session.status
  await vi.waitUntil(async () => (await status()) === 'needs_input', { timeout: 300_000, interval: 100 })
  await call('POST', `/sessions/${session.id}/archive`)
  return session.id
}

beforeAll(async () => {
  const { call } = sharedServer()
  analysed = await archived('Mend the retry')
  fresh = await archived('Not analysed yet')
  another = await archived('Not analysed either')
  await call('POST', '/outcome_analyses', {
    session_id: analysed,
    notes: 'One test was left failing.',
    root: segment('S0', {
      goal: 'Mend the flaky retry',
      range: ['e1', 'e10'],
      children: [
        { goal: 'Find the race', range: ['e1', 'e4'] },
        {
          goal: 'Rewrite the lease',
          kind: 'Failure',
          range: ['e5', 'e10'],
          children: [
            { goal: 'Change the comparison', range: ['e5', 'e7'] },
            { goal: 'Run all tests', kind: 'Failure', range: ['e8', 'e10'] },
          ],
        },
      ],
    }),
  })
})

test('walks through the segments by keys, shows them as text, and opens the transcript at an entry', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/outcomes/${analysed}`)
  const graph = page.getByRole('group', { name: /Segments over the transcript/ })
  await graph.getByRole('link', { name: 'Success: Mend the flaky retry' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'The segment' }).getByText('Change the comparison').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('region', { name: 'The segment' }).getByText('Entries 8 to 10').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('region', { name: 'The segment' }).getByText('Rewrite the lease').waitFor()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await page.getByRole('list', { name: 'Segments as text' }).getByRole('link', { name: 'entries 5 to 7' }).waitFor()
  await page.getByRole('button', { name: 'Graph', exact: true }).click()
  await graph.getByRole('link', { name: 'Failure: Run all tests' }).click()
  await expect.poll(() => page.url()).toMatch(new RegExp(`/sessions/${analysed}#e8$`))
  expect(faults).toEqual([])
})

test('filters the list in the address, and shows the rates over time as a chart and as a table', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/outcomes')
  const table = page.getByRole('table', { name: 'Outcomes' })
  await table.getByRole('link', { name: 'Mend the retry', exact: true }).waitFor()
  await page.getByRole('img', { name: /Share of sessions that succeeded, by day/ }).waitFor()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page
    .getByRole('table', { name: /Share of sessions/ })
    .getByText('100 %')
    .first()
    .waitFor()
  await page.getByLabel('Outcome', { exact: true }).selectOption('Failure')
  await expect.poll(() => new URL(page.url()).search).toBe('?outcome=Failure')
  await expect.poll(() => table.getByRole('link', { name: 'Mend the retry', exact: true }).count()).toBe(0)
  await page.getByLabel('Outcome', { exact: true }).selectOption('Any outcome')
  await page.getByLabel('Root', { exact: true }).selectOption('sample')
  await expect.poll(() => new URL(page.url()).search).toBe('?root=sample')
  await table.getByRole('link', { name: 'Mend the retry', exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('analyses one session, and a batch of named ones with its progress in the address', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/outcomes/${fresh}`)
  await page.getByText('This session has no analysis').waitFor()
  await page.getByRole('button', { name: 'Analyse', exact: true }).click()
  await page.getByText('Done: 1 saved').waitFor()
  await page.getByRole('group', { name: /Segments over the transcript/ }).waitFor()

  await goto('/outcomes')
  await page.getByRole('button', { name: 'Analyse sessions' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Analyse sessions' })
  await dialog.getByRole('button', { name: 'Named sessions' }).click()
  await dialog.getByLabel('Sessions', { exact: true }).fill('999999')
  await dialog.getByRole('button', { name: 'Start' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Sessions', { exact: true }).fill(`${fresh}, ${another}`)
  await dialog.getByRole('button', { name: 'Start' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('batch')).not.toBeNull()
  await page.reload()
  await page.getByText('Done: 2 saved').waitFor()
  await page.getByRole('button', { name: 'Hide the progress' }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('')
  expect(faults).toEqual([])
})

test('a batch is cancelled while it works, and says how many sessions were left', async () => {
  const { call } = sharedServer()
  const ids: number[] = []
  for (let count = 0; count < 3; count += 1) ids.push(await archived(`Left over ${count}`))
  // So that all of them wait when it is cancelled.
  await call('POST', '/health/enter_queue_recovery_mode', { ttl_minutes: 5 })
  onTestFinished(() => void call('POST', '/health/exit_queue_recovery_mode'))
  const { analysis_batch: batch } = await call<{ analysis_batch: { id: number } }>(
    'POST',
    '/outcome_analyses/analyze',
    {
      session_ids: ids,
      concurrency: 1,
    },
  )
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto(`/outcomes?batch=${batch.id}`)
  await page.getByRole('button', { name: 'Cancel the batch' }).waitFor()
  await screenshot(page, 'outcomes-batch-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel the batch' }).click()
  await page.getByText(/^Cancelled: .*3 cancelled$/).waitFor()
  await page.getByRole('button', { name: 'Cancel the batch' }).waitFor({ state: 'detached' })
  const { analysis_batch: ended } = await call<{ analysis_batch: { counts: Record<string, number> } }>(
    'GET',
    `/outcome_analyses/batches/${batch.id}`,
  )
  expect(ended.counts).toMatchObject({ queued: 0, running: 0 })
  expect(faults).toEqual([])
})

test('an analysis appears by itself', async () => {
  const { page, faults, goto } = await openPage()
  const id = await archived('Analysed meanwhile')
  await goto('/outcomes')
  await page
    .getByRole('link', { name: 'Mend the retry' })
    .or(page.getByText(`Session ${analysed}`))
    .first()
    .waitFor()
  await sharedServer().call('POST', '/outcome_analyses', {
    session_id: id,
    root: segment('S0', { goal: 'Say done', range: ['e1', 'e2'] }),
  })
  await page.locator(`a[href*="/outcomes/${id}"]`).first().waitFor()
  expect(faults).toEqual([])
})

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('the outcomes and the segments of one have no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    for (const [path, name] of [
      ['/outcomes', 'outcomes'],
      [`/outcomes/${analysed}`, 'outcome'],
    ]) {
      await goto(String(path))
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
      await page.getByRole('img').or(page.getByRole('group')).first().waitFor()
      await screenshot(page, `${name}-${look.size}-${look.theme}`)
      expect(await axe(page)).toEqual([])
      expect(await overflows(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })
})
