import { afterAll, expect, test } from 'vitest'
import { startChatServer } from '../../../server/test/support/remote/chat-server.ts'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger, readTrigger } from '../support/triggers.ts'

const chat = await startChatServer()
// Of their own: the list is read as a whole, and only this server knows a chat platform.
serverOfFile({ environment: chat.environment })
afterAll(() => chat.close())

test('a trigger that fires too often says that it bursts, and stops saying so when its limit changes', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Fires too often', max_sessions_per_minute: 1 })
  await makeTrigger({ name: 'Fires seldom' })
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await row('Fires too often').getByText('enabled', { exact: true }).waitFor()
  for (const outcome of ['spawned', 'spawned', 'suppressed']) {
    const fired = call<{ delivery: string }>('POST', `/triggers/${id}/invoke`, {})
    if (outcome === 'suppressed') await expect(fired).rejects.toThrow('burst')
    else expect((await fired).delivery).toBe(outcome)
  }
  // The open list hears of it, and shows what is wrong above the rest.
  await row('Fires too often').getByText('bursting', { exact: true }).waitFor()
  expect(await row('Fires seldom').getByText('bursting').count()).toBe(0)
  expect(await page.getByRole('main').getByRole('listitem').first().innerText()).toContain('Fires too often')
  await screenshot(page, 'triggers-bursting')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await goto(`/triggers/${id}`)
  await page.getByText(/A burst: 1 fire was held back. It ends/).waitFor()
  await screenshot(page, 'trigger-bursting')
  await page.getByRole('tab', { name: 'History' }).click()
  for (const word of ['held back', 'burst', 'started'])
    await page.getByRole('cell', { name: word, exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Edit' }).click()
  await page.getByText('Limits, class and what its sessions are given').click()
  await page.getByLabel('Sessions a minute, at most').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('bursting', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText(/A burst:/).count()).toBe(0)
  expect(await readTrigger(id)).toMatchObject({ bursting: false, burst_ends_at: null })
  expect(faults).toEqual([])
})

test('a trigger says how many runs it missed while its session was busy', async () => {
  const { call } = sharedServer()
  const busy = await makeSession('Busy for long', 'sleep 3600', 'running')
  // Due as soon as it is armed, and then in an hour.
  const hourly = { condition_type: 'schedule', configuration: { unit: 'hours', interval: 1, timezone: 'UTC' } }
  const { id } = await makeTrigger({
    name: 'Misses runs',
    prompt_template: 'say tick',
    reuse_session: true,
    enqueue_messages: true,
    last_session_id: busy.id,
    trigger_conditions_attributes: [hourly],
  })
  const { page, faults, goto } = await openPage({ theme: 'dark' })
  await goto(`/triggers/${id}?tab=history`)
  await page.getByRole('cell', { name: 'queued', exact: true }).waitFor()
  expect(await page.getByText('missed').count()).toBe(0)
  await call('PATCH', `/triggers/${id}`, { trigger_conditions_attributes: [hourly] })
  await page.getByText('1 missed', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'folded into another' }).waitFor()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText(/1 scheduled run did not happen/).waitFor()
  await screenshot(page, 'trigger-missed-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await goto('/triggers')
  await page.getByRole('listitem').filter({ hasText: 'Misses runs' }).getByText('1 missed', { exact: true }).waitFor()
  expect(await readTrigger(id)).toMatchObject({ missed_fire_count: 1 })
  expect(faults).toEqual([])
})

test('a trigger that is disabled has nothing due, and is armed again when it is enabled', async () => {
  const configuration = { unit: 'days', interval: 1, time: '08:00', timezone: 'UTC' }
  const { id } = await makeTrigger({
    name: 'Armed again',
    trigger_conditions_attributes: [{ condition_type: 'schedule', configuration }],
  })
  const due = async () => ((await readTrigger(id)).conditions as { next_run_at: string | null }[])[0]?.next_run_at
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  const row = page.getByRole('listitem').filter({ hasText: 'Armed again' })
  await row.getByText(/^next/).waitFor()
  await row.getByRole('button', { name: 'Disable Armed again' }).click()
  await row.getByText('never fired').waitFor()
  await expect.poll(due).toBeNull()
  await row.getByRole('button', { name: 'Enable Armed again' }).click()
  await row.getByText(/^next/).waitFor()
  await expect.poll(due).toEqual(expect.any(String))
  expect(faults).toEqual([])
})

test('a channel is chosen by its name, and typed by its id while the chat platform does not answer', async () => {
  chat.addChannel('C01ALERTS', 'alerts')
  chat.addChannel('C02RELEASE', 'release')
  const { id } = await makeTrigger({
    name: 'Listens to a channel',
    trigger_conditions_attributes: [{ condition_type: 'chat', configuration: { event_type: 'bot_mention' } }],
  })
  const { page, faults, goto } = await openPage()
  const group = page.getByRole('group', { name: 'Chat message' })
  type Condition = { configuration: Record<string, unknown> }
  const configuration = async () => ((await readTrigger(id)).conditions as Condition[])[0]?.configuration
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor()
    await page.getByRole('tab', { name: 'Edit' }).click()
  }
  await goto(`/triggers/${id}?tab=edit`)
  chat.failWith('conversations.list', 'internal_error', 10)
  await group.getByRole('button', { name: 'List channels' }).click()
  await group
    .getByRole('alert')
    .getByText(/internal_error/)
    .waitFor()
  await group.getByLabel('When').selectOption('new_message')
  await group.getByLabel('Channel id').fill('C01ALERTS')
  await save()
  expect(await configuration()).toMatchObject({ event_type: 'new_message', channel_id: 'C01ALERTS' })

  // What is planned beyond the failed call would fail the next one too.
  while (
    (await fetch(`${chat.url}/api/conversations.list`).then((answer) => answer.json())).error === 'internal_error'
  );
  await group.getByRole('button', { name: 'List channels' }).click()
  const channel = group.getByLabel('Channel', { exact: true })
  await channel.waitFor()
  expect(await channel.locator('option').allInnerTexts()).toEqual(['Choose one', '#alerts', '#release'])
  expect(await channel.inputValue()).toBe('C01ALERTS')
  await channel.selectOption({ label: '#release' })
  await group
    .getByText(/#release/)
    .first()
    .waitFor({ state: 'attached' })
  await screenshot(page, 'trigger-channels')
  expect(await axe(page)).toEqual([])
  await save()
  expect(await configuration()).toMatchObject({ channel_id: 'C02RELEASE', channel_name: 'release' })
  expect(faults).toEqual([])
})

test('a channel that the bot has left stays the chosen one when the channels are listed', async () => {
  chat.addChannel('C03STAYS', 'stays')
  const { id } = await makeTrigger({
    name: 'Listens where the bot was',
    trigger_conditions_attributes: [
      {
        condition_type: 'chat',
        configuration: { event_type: 'new_message', channel_id: 'C09LEFT', channel_name: 'left' },
      },
    ],
  })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}?tab=edit`)
  const group = page.getByRole('group', { name: 'Chat message' })
  await group.getByRole('button', { name: 'List channels' }).click()
  const channel = group.getByLabel('Channel', { exact: true })
  await channel.locator('option', { hasText: '#stays' }).waitFor({ state: 'attached' })
  expect(await channel.inputValue()).toBe('C09LEFT')
  expect(await channel.locator('option:checked').innerText()).toBe('#left')
  expect(faults).toEqual([])
})

test('a long list of triggers is paged through', async () => {
  const { call } = sharedServer()
  const names = Array.from({ length: 101 }, (_, index) => `Of a long list ${index}`)
  for (const name of names) await makeTrigger({ name })
  const { pagination } = await call<{ pagination: { total_count: number } }>('GET', '/triggers')
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByText(`1 to 100 of ${pagination.total_count}`).waitFor()
  expect(await pages.getByRole('button', { name: 'Back' }).isDisabled()).toBe(true)
  // The newest are first.
  expect(await page.getByRole('link', { name: 'Of a long list 0', exact: true }).count()).toBe(0)
  await pages.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('link', { name: 'Of a long list 0', exact: true }).waitFor()
  await pages.getByText(`101 to ${pagination.total_count} of ${pagination.total_count}`).waitFor()
  expect(await pages.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
  expect(new URL(page.url()).search).toBe('?page=2')
  await page.reload()
  await page.getByRole('link', { name: 'Of a long list 0', exact: true }).waitFor()
  await page.goBack()
  await pages.getByText(`1 to 100 of ${pagination.total_count}`).waitFor()
  await page.goForward()
  await page.getByRole('link', { name: 'Of a long list 0', exact: true }).waitFor()
  await pages.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('link', { name: 'Of a long list 100', exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('problems on other pages of the list are counted above it, and listed together by a link', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Failed long ago', status: 'failed' })
  await Promise.all(Array.from({ length: 100 }, (_, index) => makeTrigger({ name: `Newer and healthy ${index}` })))
  const troubled = async () =>
    (await call<{ pagination: { total_count: number } }>('GET', '/triggers?needs_attention=true')).pagination
      .total_count
  const count = await troubled()
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  const words = (number: number) =>
    number === 1 ? '1 trigger on another page needs attention.' : `${number} triggers on other pages need attention.`
  await page.getByText(words(count)).waitFor()
  const row = page.getByRole('listitem').filter({ hasText: 'Failed long ago' })
  expect(await row.count()).toBe(0)
  await makeTrigger({ name: 'Failed just now', status: 'failed' })
  // A problem of this page is listed first, and is not counted with those of others.
  const first = page.getByRole('main').getByRole('listitem').first()
  await first.getByText('Failed just now').waitFor()
  await page.getByText(words(count)).waitFor()
  await screenshot(page, 'triggers-trouble-elsewhere')
  expect(await axe(page)).toEqual([])
  await page.getByRole('link', { name: 'Show all that need attention' }).click()
  await row.getByText('failed', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?attention=true')
  await page.reload()
  await row.waitFor()
  await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(await troubled())
  await call('POST', `/triggers/${id}/toggle`)
  await row.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Show all triggers' }).click()
  await page.getByText('Newer and healthy 99').waitFor()
  expect(faults).toEqual([])
})
