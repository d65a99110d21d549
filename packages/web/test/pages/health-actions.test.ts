import { spawn } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  axe,
  homeFolder,
  openPage,
  overflows,
  screenshot,
  serverOfFile,
  sharedServer,
  startServer,
} from '../support/browser.ts'
import { databaseOf } from '../support/database.ts'
import { makeSession } from '../support/sessions.ts'

// Their own: these actions halt queues, and start or archive the sessions of others.
serverOfFile()

type Counted = { matched: number }
type Health = {
  health_report: {
    post_deploy_task_health: { failed: number }
    system_health: { queue_stats?: { scheduled_count_by_queue: Record<string, number> } }
  }
}

test('queued jobs are discarded and moved to another time for the number that was typed, and for no other', async () => {
  const { call } = sharedServer()
  const waiting = async (jobClass: string) =>
    (await call<Counted>('GET', `/health/queued_jobs?job_class=${jobClass}`)).matched
  await call('POST', '/health/enter_queue_recovery_mode', { ttl_minutes: 60, reason: 'A flood of jobs' })
  await call('POST', '/clis/clear_cache')
  await call('POST', '/clis/refresh')
  const { page, faults, goto } = await openPage()
  await goto('/health-report')
  const dialog = page.getByRole('dialog')

  await page.getByRole('button', { name: 'Discard…' }).click()
  await dialog.getByRole('status').getByText('Choose a queue, a class, or both.').waitFor()
  await dialog.getByLabel('Queue', { exact: true }).selectOption('maintenance')
  await dialog.getByLabel('Class').selectOption('clear_package_caches')
  await dialog.getByRole('status').getByText('1 job waits in this scope.').waitFor()
  await dialog.getByLabel('Type the number of jobs').fill('2')
  await dialog.getByRole('button', { name: 'Discard them' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/Count confirmation failed: expected 2, 1 match/)
    .waitFor()
  expect(await waiting('clear_package_caches')).toBe(1)
  await screenshot(page, 'health-discard-refused')
  expect(await axe(page)).toEqual([])
  await dialog.getByLabel('Type the number of jobs').fill('1')
  await dialog.getByLabel('Reason').fill('Not needed')
  await dialog.getByRole('button', { name: 'Discard them' }).click()
  await page.getByText('1 job was discarded').waitFor()
  await dialog.waitFor({ state: 'detached' })
  expect(await waiting('clear_package_caches')).toBe(0)

  await page.getByRole('button', { name: 'Reschedule…' }).click()
  await dialog.getByLabel('Class').selectOption('look_at_clis')
  await dialog.getByRole('status').getByText('1 job waits in this scope.').waitFor()
  await dialog.getByLabel('Minutes from now').fill('90')
  await dialog.getByLabel('Type the number of jobs').fill('1')
  await dialog.getByRole('button', { name: 'Move them' }).click()
  await page.getByText('1 job was moved').waitFor()
  const scheduled = async () =>
    (await call<Health>('GET', '/health')).health_report.system_health.queue_stats?.scheduled_count_by_queue.maintenance
  await expect.poll(scheduled).toBeGreaterThanOrEqual(1)
  await call('POST', '/health/exit_queue_recovery_mode')
  // The page says what is due later, by queue.
  await page
    .getByRole('table', { name: 'Queues' })
    .getByRole('row', { name: /^maintenance/ })
    .waitFor()
  expect(await waiting('look_at_clis')).toBe(1)
  expect(faults).toEqual([])
})

test('the dialog of the queued jobs still names the queue that was chosen when its last job is gone', async () => {
  const { call } = sharedServer()
  await call('POST', '/health/enter_queue_recovery_mode', { ttl_minutes: 60, reason: 'One job waits' })
  await call('POST', '/clis/clear_cache')
  const { page, faults, goto } = await openPage()
  await goto('/health-report')
  await page.getByRole('button', { name: 'Discard…' }).click()
  const dialog = page.getByRole('dialog')
  const chosen = dialog.getByLabel('Class')
  await chosen.selectOption('clear_package_caches')
  await dialog.getByRole('status').getByText('1 job waits in this scope.').waitFor()
  await dialog.getByLabel('Type the number of jobs').fill('2')
  await call('POST', '/health/discard_queued_jobs', { job_class: 'clear_package_caches', expected_count: 1 })
  // A refused call reads the jobs again.
  await dialog.getByRole('button', { name: 'Discard them' }).click()
  await dialog.getByRole('status').getByText('0 jobs wait in this scope.').waitFor()
  await chosen.locator('option', { hasText: 'clear_package_caches (0)' }).waitFor({ state: 'attached' })
  expect(await chosen.inputValue()).toBe('clear_package_caches')
  await call('POST', '/health/exit_queue_recovery_mode')
  expect(faults).toEqual([])
})

test('a process that no turn owns is ended by its action', async () => {
  const { home } = sharedServer()
  // As the run of an agent leaves it: with its marker, and a home within ours.
  const leftover = spawn('sleep', ['4321'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, YARDMASTER_RUN: `run-${crypto.randomUUID()}`, HOME: join(home, 'runtimes/1') },
  })
  onTestFinished(() => void leftover.kill('SIGKILL'))
  const ended = new Promise<void>((resolve) => leftover.once('exit', () => resolve()))
  const { page, faults, goto } = await openPage()
  await goto('/health-report')
  await page.getByRole('button', { name: 'End them' }).click()
  await page.getByText('1 process was ended, 0 could not be ended').waitFor()
  await ended
  expect(leftover.signalCode).toBe('SIGTERM')
  expect(faults).toEqual([])
})

test('failed sessions start again, idle ones are archived after the days that were typed, and failed tasks are tried again', async () => {
  const { call } = sharedServer()
  const statusOf = async (id: number) =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${id}`)).session.status
  const failed = await makeSession('Failed before the retry', 'fail the disk is full')
  expect(failed.status).toBe('failed')
  const [idle, young] = [await makeSession('Idle for ten days'), await makeSession('Idle for two days')]
  const database = await databaseOf(sharedServer().home)
  // No operation of the API sets a clock back.
  for (const [id, days] of [
    [idle.id, 10],
    [young.id, 2],
  ])
    await database.query(`update sessions set updated_at = now() - make_interval(days => $2) where id = $1`, [id, days])
  await database.query(`
    update post_deploy_tasks
    set status = 'failed', next_attempt_at = null, finished_at = null, last_error = 'broken'
    where version = (select max(version) from post_deploy_tasks)`)
  const failedTasks = async () => (await call<Health>('GET', '/health')).health_report.post_deploy_task_health.failed
  await expect.poll(failedTasks).toBe(1)
  const { page, faults, goto } = await openPage()
  await goto('/health-report')

  await page.getByRole('button', { name: 'Retry them' }).click()
  await page.getByText('1 session starts again, 0 could not be started').waitFor()
  const turns = async () =>
    (await database.query('select count(*)::int as count from turns where session_id = $1', [failed.id])).rows[0].count
  expect(await turns()).toBe(2)

  await page.getByRole('button', { name: 'Archive…' }).click()
  await page.getByLabel('Idle for days').fill('5')
  await page.getByRole('button', { name: 'Archive them' }).click()
  await page.getByText('1 session was archived, 0 left out, 0 remain').waitFor()
  expect([await statusOf(idle.id), await statusOf(young.id)]).toEqual(['archived', 'needs_input'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => statusOf(idle.id)).toBe('needs_input')

  await page.getByRole('button', { name: 'Try again', exact: true }).click()
  await page.getByText('1 failed task will be tried again').waitFor()
  await expect.poll(failedTasks).toBe(0)
  expect(faults).toEqual([])
})

test('the diagnostics are downloaded as a file that has the report and no secret', async () => {
  const password = 'operator-password-of-this-test'
  const home = await homeFolder()
  await writeFile(join(home, 'secrets.json'), JSON.stringify({ YARD_SECRET: { value: 'secret-value-of-this-test' } }), {
    mode: 0o600,
  })
  const server = await startServer({ home, environment: { SUPERVISOR_PASSWORD: password } })
  await server.call('POST', '/sessions', {
    prompt: 'fail secret-value-of-this-test',
    title: 'Named after a customer',
    agent_root: 'sample',
  })
  const { page, faults, goto } = await openPage({ server })
  await goto('/health-report')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export diagnostics' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('yardmaster-diagnostics.json')
  const text = await readFile(await download.path(), 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    version: expect.any(String),
    health_report: { overall_status: { status: expect.any(String) } },
    runtimes: expect.arrayContaining(['demo']),
    settings: expect.any(Object),
  })
  for (const secret of [password, server.key, 'secret-value-of-this-test', 'Named after a customer'])
    expect(text).not.toContain(secret)
  expect(faults).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'with WEB_AUTH=none the actions need the password of the operator, in the %s theme',
  async (theme) => {
    const environment = { WEB_AUTH: 'none', SUPERVISOR_PASSWORD: 'operator-password-of-this-test' }
    const server = await startServer({ environment })
    const { page, faults, goto } = await openPage({
      server,
      isSignedOut: true,
      theme,
      size: theme === 'dark' ? 'phone' : 'desktop',
    })
    await goto('/health-report')
    await page.getByLabel("Operator's password").fill('a guess')
    expect(await page.getByRole('button', { name: 'End them' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show the actions' }).click()
    await page.getByRole('main').getByRole('alert').waitFor()
    await screenshot(page, `health-operator-${theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await page.getByLabel("Operator's password").fill(environment.SUPERVISOR_PASSWORD)
    await page.getByRole('button', { name: 'Show the actions' }).click()
    await page.getByRole('button', { name: 'Halt the queues…' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('By the operator')
    await page.getByRole('dialog').getByRole('button', { name: 'Halt the queues' }).click()
    await page.getByText(/\d+ queues are halted/).waitFor()
    expect(await server.call('GET', '/health/queue_recovery_mode')).toMatchObject({
      active: true,
      reason: 'By the operator',
    })
    // The browser stays the operator's after the page was loaded again.
    await goto('/health-report')
    await page.getByRole('button', { name: 'Let the queues go on' }).click()
    await page.getByText('The queues are halted: only turns run.').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  },
)

test('the programs of agents are checked again and the caches of packages are emptied, on the server too', async () => {
  const server = sharedServer()
  const { id } = await makeSession('Has a cache of packages')
  const cache = join(server.home, 'runtimes', String(id), '.npm')
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, 'package.tgz'), 'a package')
  type Status = { cli_status: { generated_at: string | null } }
  const checkedAt = async () => (await server.call<Status>('GET', '/clis/status')).cli_status.generated_at
  await expect.poll(checkedAt).toEqual(expect.any(String))
  const before = await checkedAt()
  const { page, context, faults, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto('/clis')
  type Hosts = { health_report: { system_health: { worker_stats?: { worker_details: { id: string }[] } } } }
  const hosts = async () =>
    (await server.call<Hosts>('GET', '/health')).health_report.system_health.worker_stats?.worker_details ?? []
  // What the report does not know in time is absent.
  await expect.poll(async () => (await hosts()).length).toBe(1)
  const [host] = await hosts()
  const copyHost = async () => {
    await page.getByRole('button', { name: 'Copy id of the host' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(host?.id)
  }
  await copyHost()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('status').getByText('CLI status refresh queued').waitFor()
  await expect.poll(checkedAt).not.toBe(before)
  await page.getByRole('button', { name: 'Clear caches' }).click()
  await page
    .getByRole('status')
    .getByText(/cache clearing queued/)
    .waitFor()
  await expect
    .poll(() =>
      stat(cache).then(
        () => 'there',
        () => 'gone',
      ),
    )
    .toBe('gone')
  await goto('/health-report')
  await copyHost()
  expect(faults).toEqual([])
})
