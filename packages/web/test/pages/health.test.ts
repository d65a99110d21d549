import { beforeAll, describe, expect, test, vi } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer, startServer } from '../support/browser.ts'

beforeAll(async () => {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    prompt: 'fail the disk is full',
    title: 'Fails for the health report',
    agent_root: 'sample',
  })
  const status = async () =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${session.id}`)).session.status
  await vi.waitUntil(async () => (await status()) === 'failed', { timeout: 300_000, interval: 100 })
})

test('shows the whole report, refreshes it, and links what works without scripts', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/health-report')
  await page.getByRole('list', { name: 'Parts of the report' }).getByText('Queues and hosts').waitFor()
  await page.getByRole('table', { name: 'Hosts' }).getByText('alive').waitFor()
  await page
    .getByRole('table', { name: /Sessions that failed/ })
    .getByText('Fails for the health report')
    .waitFor()
  await page.getByRole('button', { name: 'Refresh' }).click()
  for (const address of ['/jobs', '/supervisor', '/health', '/health/export_diagnostics'])
    await expect.poll(() => page.locator(`main a[href$="${address}"]`).count()).toBeGreaterThan(0)
  expect(faults).toEqual([])
})

// On a server of their own: these actions start sessions of other tests again, and halt their queues.
test('does every action of the report and says what it did', async () => {
  const { page, faults, goto } = await openPage({ server: await startServer() })
  await goto('/health-report')
  await page.getByRole('button', { name: 'End them' }).click()
  await page.getByText(/\d+ processes were ended/).waitFor()
  // The same action again is refused in the API's own sentence. It is done once more just before: 30 seconds may have passed.
  await page.route('**/health/cleanup_processes', async (route) => {
    await route.fetch()
    await route.continue()
  })
  await page.getByRole('button', { name: 'End them' }).click()
  await page.getByText(/wait 30 seconds/).waitFor()
  await page.getByRole('button', { name: 'Retry them' }).click()
  await page.getByText(/\d+ sessions start again/).waitFor()
  await page.getByRole('button', { name: 'Try again', exact: true }).click()
  await page.getByText(/\d+ failed tasks will be tried again/).waitFor()
  await page.getByRole('button', { name: 'Archive…' }).click()
  await page.getByLabel('Idle for days').fill('365')
  await page.getByRole('button', { name: 'Archive them' }).click()
  await page.getByText(/\d+ sessions were archived/).waitFor()
  expect(faults).toEqual([])
})

test('halts the queues, says so above every page, extends it, and discards jobs only for the number that was typed', async () => {
  const server = await startServer()
  const { page, faults, goto } = await openPage({ server })
  await goto('/health-report')
  await page.getByRole('button', { name: 'Halt the queues…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Halt the queues' })
  await dialog.getByLabel('Reason').fill('A flood of jobs')
  await dialog.getByRole('button', { name: 'Halt the queues' }).click()
  await page.getByText(/\d+ queues are halted/).waitFor()
  await page.getByText('The queues are halted: only turns run. A flood of jobs.').waitFor()
  await screenshot(page, 'health-halted')
  type Mode = { expires_in_seconds: number; reason: string }
  const mode = () => server.call<Mode>('GET', '/health/queue_recovery_mode')
  expect((await mode()).expires_in_seconds).toBeLessThanOrEqual(3600)
  await page.getByRole('button', { name: 'Extend…' }).click()
  const extension = page.getByRole('dialog', { name: 'Halt the queues for longer' })
  await extension.getByLabel('For minutes').fill('120')
  expect(await axe(page)).toEqual([])
  await extension.getByRole('button', { name: 'Extend' }).click()
  await extension.waitFor({ state: 'detached' })
  expect((await mode()).expires_in_seconds).toBeGreaterThan(3600)
  // It keeps the reason, unless another one is given.
  expect((await mode()).reason).toBe('A flood of jobs')
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByLabel('Type the number of jobs').fill('999999')
  await page.getByRole('button', { name: 'Discard them' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Reschedule…' }).click()
  await page.getByRole('dialog').getByText('jobs wait in this scope').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Let the queues go on' }).click()
  await page.getByText('The queues are halted: only turns run.').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a page that is open says that someone else halted the queues, and that they go on', async () => {
  const server = await startServer()
  const { page, goto } = await openPage({ server })
  // Without the reads at an interval: the event alone must do.
  await page.addInitScript(() => {
    const every = window.setInterval
    const patched = (act: () => void, ms = 0) => every(act, ms >= 30_000 ? 2 ** 30 : ms)
    Object.assign(window, { setInterval: patched })
  })
  await goto('/catalog')
  await page.getByText('live', { exact: true }).waitFor()
  await server.call('POST', '/health/enter_queue_recovery_mode', { ttl_minutes: 5, reason: 'A flood of jobs' })
  await page.getByText('The queues are halted: only turns run.').waitFor()
  await server.call('POST', '/health/exit_queue_recovery_mode')
  await page.getByText('The queues are halted: only turns run.').waitFor({ state: 'detached' })
})

describe.each([
  { size: 'desktop', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const)('on a $size in the $theme theme', (look) => {
  test('the health report has no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    await goto('/health-report')
    await page.getByRole('button', { name: 'End them' }).waitFor()
    await screenshot(page, `health-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
