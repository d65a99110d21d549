import { describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

type Created = { session: { id: number } }

/** A turn with everything that a transcript shows. */
const work = [
  'say ## Plan',
  'think The lease may be renewed twice, so I look at the clock first.',
  'run ls -la',
  'run echo checking; seq 1 4000',
  'run echo "2 of 216 tests failed" >&2; exit 1',
  'write notes.txt The lease is renewed twice.',
  'spawn say I read the lock file.',
  'say The **retry** waits on a timer. See `lease.ts`.',
  'usage 1200 300',
].join('\n')

async function startSession(prompt: string, title: string): Promise<number> {
  const { call } = sharedServer()
  const { session } = await call<Created>('POST', '/sessions', { prompt, title, agent_root: 'sample' })
  return session.id
}

const looks = [
  { size: 'desktop', theme: 'light' },
  { size: 'desktop', theme: 'dark' },
  { size: 'phone', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const

describe.each(looks)('on a $size in the $theme theme', ({ size, theme }) => {
  test('the session page shows a working session without a fault of accessibility or of the layout', async () => {
    const { call } = sharedServer()
    const { id } = await makeSession('Fix the flaky retry', work)
    await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say I go on.\nask Which of the two?\nsleep 600' })
    await call('POST', `/sessions/${id}/follow_up`, { prompt: 'Also update the README' })
    await call('POST', `/sessions/${id}/follow_up`, { prompt: 'Then open the pull request' })
    const { page, faults, goto } = await openPage({ size, theme })
    await goto(`/sessions/${id}`)
    await page.getByText('Which of the two?').first().waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).waitFor()
    await screenshot(page, `session-${size}-${theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    const panels = {
      Queue: page.getByRole('list', { name: 'Queue' }),
      Info: page.getByRole('combobox', { name: 'Category' }),
      Notes: page.getByRole('textbox', { name: 'Notes' }),
      Logs: page.getByLabel('Level'),
    }
    for (const [tab, panel] of Object.entries(panels)) {
      const opener =
        size === 'phone'
          ? page.getByRole('navigation', { name: 'About the session' }).getByRole('button', { name: tab })
          : page.getByRole('tab', { name: tab })
      await opener.click()
      await panel.waitFor()
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
      await screenshot(page, `session-${size}-${theme}-${tab.toLowerCase()}`)
      expect({ tab, faults: await axe(page) }).toEqual({ tab, faults: [] })
      if (size === 'phone') await page.getByRole('button', { name: 'Close' }).click()
    }
    expect(faults).toEqual([])
    await call('POST', `/sessions/${id}/pause`)
  })
})

test('groups tool calls, opens them, and reads a large result as a whole on demand', async () => {
  const { id } = await makeSession('Look at the calls', work)
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: /Ran 3 commands \(1 failed\) · edited 1 file · 1 thought/ }).click()
  await page.getByRole('button', { name: /^run echo checking/ }).click()
  const output = page.getByRole('button', { name: 'Whole output' }).last()
  await output.click()
  await page.getByText('3999', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: /Thinking/ }).click()
  await page.getByText('so I look at the clock first').last().waitFor()
  await page.getByRole('button', { name: /Subagent/ }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('I read the lock file.').waitFor()
  expect(await axe(page)).toEqual([])
  await screenshot(page, 'session-calls')
})

test('the note that a message is queued goes away when the message was delivered', async () => {
  const id = await startSession('ask May I go on?', 'Delivered later')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByLabel('Answer').fill('yes')
  await page.getByRole('textbox', { name: 'Message' }).fill('say This was queued')
  await page.getByRole('button', { name: 'Queue' }).click()
  await page.getByText('Queued as 1st').waitFor()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('This was queued').waitFor()
  await page.getByText('Queued as 1st').waitFor({ state: 'detached' })
})

test('queues while a turn runs, interrupts by Ctrl+Enter, sends at rest, and keeps the draft until it is accepted', async () => {
  const { id } = await makeSession('Compose', 'sleep 600', 'running')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const field = page.getByRole('textbox', { name: 'Message' })
  await page.getByText('becomes 1st in the queue').waitFor()
  await field.fill('say the queued one')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('say the queued one')
  await page.getByText('becomes 1st in the queue').waitFor()
  await field.press('Enter')
  await page.getByText('Queued as 1st').waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  await page.getByText('becomes 2nd in the queue').waitFor()
  await page.getByText(/stops turn 1, .* old/).waitFor()
  await field.fill('say I was interrupted')
  await field.press('Control+Enter')
  await page.getByText('Delivered').waitFor()
  await page.getByRole('article', { name: 'Agent' }).getByText('I was interrupted').waitFor()
  await page.getByRole('article', { name: 'Agent' }).getByText('the queued one').waitFor()
  await page.getByText('starts the next turn now').waitFor()
  await field.fill('say and at rest')
  await field.press('Enter')
  await page.getByRole('article', { name: 'Agent' }).getByText('and at rest').waitFor()
})

test('edits, moves, sends and deletes messages of the queue, and takes a deletion back', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Queue', 'sleep 600', 'running')
  for (const prompt of ['say one', 'say two', 'say three']) await call('POST', `/sessions/${id}/follow_up`, { prompt })
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const queue = page.getByRole('list', { name: 'Queue' })
  const texts = () => queue.locator('li p:first-child').allTextContents()
  await expect.poll(texts).toEqual(['say one', 'say two', 'say three'])
  await page.getByRole('button', { name: /^Message 3 of 3/ }).press('Alt+ArrowUp')
  await expect.poll(texts).toEqual(['say one', 'say three', 'say two'])
  await queue.getByRole('button', { name: 'Edit' }).first().click()
  await page.getByRole('textbox', { name: 'Text of the message' }).fill('say the first')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(texts).toEqual(['say the first', 'say three', 'say two'])
  await page.getByRole('button', { name: 'More for message 3' }).click()
  await page.getByRole('menuitem', { name: 'Move to the top' }).click()
  await expect.poll(texts).toEqual(['say two', 'say the first', 'say three'])
  await page
    .getByRole('button', { name: /^Message 3 of 3/ })
    .dragTo(page.getByRole('button', { name: /^Message 1 of 3/ }))
  await expect.poll(texts).toEqual(['say three', 'say two', 'say the first'])
  await page.getByRole('button', { name: 'More for message 2' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(texts).toEqual(['say three', 'say the first'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(texts).toEqual(['say three', 'say two', 'say the first'])
  await queue
    .getByRole('button', { name: /^Send now/ })
    .first()
    .click()
  await page.getByRole('article', { name: 'Agent' }).getByText('three').waitFor()
  await page.getByText('The queue is empty').waitFor()
})
