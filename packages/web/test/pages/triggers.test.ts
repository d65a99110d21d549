import { expect, test } from 'vitest'
import { axe, keepBack, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeTrigger, type MadeTrigger as Trigger } from '../support/triggers.ts'

test('a trigger is made with several conditions, after its next fires and its prompt were shown', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  await goto('/triggers/new')
  await page.getByLabel('Name', { exact: true }).fill('Morning sweep')
  await page.getByLabel('Root', { exact: true }).selectOption('sample')
  await page.getByRole('textbox', { name: 'Prompt' }).fill('say Look at {{title}} and {{titel}}')
  const schedule = page.getByRole('group', { name: 'Schedule' })
  await schedule.getByLabel('Unit').selectOption('weeks')
  await schedule.getByLabel('On', { exact: true }).selectOption('sunday')
  await schedule.getByLabel('At', { exact: true }).fill('02:30')
  await schedule.getByLabel('Time zone').selectOption('America/New_York')
  await schedule.getByText('Every week on Sunday at 02:30 (America/New_York)').waitFor()
  await expect.poll(() => page.getByText(/for you \(Europe\/Berlin\)/).count()).toBe(5)
  await page.getByText('{{titel}}: the agent gets it as it is written').waitFor()
  await page.getByLabel('title', { exact: true }).fill('Otters')
  await page.getByText('say Look at Otters and {{titel}}').waitFor()
  for (const name of ['New issue', 'Label', 'Chat message', 'Another session']) {
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('group', { name, exact: true }).waitFor()
  }
  await page.getByRole('group', { name: 'New issue' }).getByLabel('Repositories').fill('acme/api, acme/web')
  await page.getByText('New issue in acme/api, acme/web').waitFor()
  await page.getByRole('button', { name: 'List channels' }).click()
  await page.getByRole('group', { name: 'Chat message' }).getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Remove the condition Label' }).click()
  await screenshot(page, 'trigger-editor')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/triggers\/\d+$/)
  const { trigger } = await call<{ trigger: Trigger }>('GET', page.url().replace(/.*(?=\/triggers)/, ''))
  expect(trigger.conditions.map(({ condition_type }) => condition_type).toSorted()).toEqual([
    'ao_event',
    'chat',
    'forge_issue',
    'schedule',
  ])
  await call('DELETE', `/triggers/${trigger.id}`)
  expect(faults).toEqual([])
})

test('next fires mark where clocks change between them', async () => {
  // Every 100 days: five fires pass both changes of the year.
  const configuration = { unit: 'days', interval: 100, time: '08:00', timezone: 'America/New_York' }
  const { id } = await makeTrigger({
    name: 'Across the year',
    trigger_conditions_attributes: [{ condition_type: 'schedule', configuration }],
  })
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto(`/triggers/${id}`)
  await page.getByText('clocks change', { exact: true }).first().waitFor()
  await screenshot(page, 'trigger-overview-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a trigger is run by hand with a field for each placeholder, and its history and sessions show it', async () => {
  const { id } = await makeTrigger({ name: 'By hand' })
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  await page.getByRole('button', { name: 'Run By hand now' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run By hand now' })
  await dialog.getByLabel('title').fill('Otters')
  await dialog.getByLabel('author').fill('Ada')
  await dialog.getByText('say Otters by Ada').waitFor()
  await screenshot(page, 'trigger-run-now')
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  await goto(`/triggers/${id}?tab=history`)
  await page.getByRole('cell', { name: 'started' }).waitFor()
  await page.getByText('By hand', { exact: true }).nth(1).waitFor()
  await screenshot(page, 'trigger-history')
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page
    .getByRole('link', { name: /By hand/ })
    .first()
    .waitFor()
  await screenshot(page, 'trigger-overview')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a trigger is switched off and on, changed, and deleted only after it was confirmed', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Changed later' })
  const read = async () => (await call<{ trigger: Trigger }>('GET', `/triggers/${id}`)).trigger
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  await page.getByRole('button', { name: 'Disable Changed later' }).click()
  await page.getByRole('button', { name: 'Enable Changed later' }).waitFor()
  await screenshot(page, 'triggers')
  await goto(`/triggers/${id}`)
  await page.getByText('Next fires, if it was enabled now').waitFor()
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await page.getByRole('button', { name: 'Disable', exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Edit' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Changed')
  await page.getByText('Limits, class and what its sessions are given').click()
  await page.getByLabel('Sessions a minute, at most').fill('3')
  await page.getByRole('switch', { name: /Skip while/ }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Changed', exact: true }).waitFor()
  expect(await read()).toMatchObject({
    name: 'Changed',
    status: 'enabled',
    max_sessions_per_minute: 3,
    skip_if_pending_session: true,
  })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  expect(await read()).toMatchObject({ name: 'Changed' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the trigger' }).click()
  await page.getByRole('heading', { name: 'Triggers' }).waitFor()
  await expect(read()).rejects.toThrow('404')
  expect(faults).toEqual([])
})

test('a trigger is saved before the roots are read, because it has one', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Saved early' })
  const { page, goto } = await openPage()
  const read = await keepBack(page, '**/web/*/v1/configs')
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByLabel('Name', { exact: true }).fill('Saved at once')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Saved at once' }).waitFor()
  read()
  expect(await call('GET', `/triggers/${id}`)).toMatchObject({
    trigger: { name: 'Saved at once', agent_root_name: 'sample' },
  })
  await call('DELETE', `/triggers/${id}`)
})

test('a trigger that failed is in the inbox, and is enabled again on its page', async () => {
  const { id } = await makeTrigger({ name: 'Failed at night', status: 'failed' })
  const { page, goto } = await openPage()
  await goto('/inbox')
  const row = page.getByRole('listitem').filter({ hasText: 'Failed at night' })
  await row.getByRole('link', { name: 'Failed at night' }).click()
  await page.waitForURL(`**/triggers/${id}`)
  await page.getByRole('button', { name: 'Enable again' }).click()
  await page.getByRole('button', { name: 'Disable' }).waitFor()
  await goto('/inbox')
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await row.waitFor({ state: 'detached' })
})

test('an open inbox shows a trigger when it fails, and no longer when it is enabled again', async () => {
  const { page, goto } = await openPage()
  await goto('/inbox')
  await page.getByText('live', { exact: true }).waitFor()
  const { id } = await makeTrigger({ name: 'Failed meanwhile', status: 'failed' })
  const row = page.getByRole('listitem').filter({ hasText: 'Failed meanwhile' })
  await row.waitFor()
  await sharedServer().call('POST', `/triggers/${id}/toggle`)
  await row.waitFor({ state: 'detached' })
})

test('a chat condition is limited to a thread and to users, and loses the limit when the field is emptied', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  await goto('/triggers/new')
  await page.getByLabel('Name', { exact: true }).fill('Listens to two people')
  await page.getByLabel('Root', { exact: true }).selectOption('sample')
  await page.getByRole('textbox', { name: 'Prompt' }).fill('say {{text}}')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'Chat message' }).click()
  await page.getByRole('button', { name: 'Remove the condition Schedule' }).click()
  const chat = page.getByRole('group', { name: 'Chat message' })
  await chat.getByLabel('Channel id').fill('C01YARD')
  await chat.getByLabel('Only in thread').fill('1712345678.000100')
  await chat.getByLabel('Only from these users').fill('U01ADA, U02BOB')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/triggers\/\d+$/)
  const path = new URL(page.url()).pathname
  type Stored = { trigger: { conditions: { configuration: Record<string, unknown> }[] } }
  const configuration = async () => (await call<Stored>('GET', path)).trigger.conditions[0]?.configuration
  expect(await configuration()).toMatchObject({
    event_type: 'bot_mention',
    channel_id: 'C01YARD',
    thread_ts: '1712345678.000100',
    allowed_user_ids: ['U01ADA', 'U02BOB'],
  })
  await page.getByRole('tab', { name: 'Edit' }).click()
  await expect.poll(() => chat.getByLabel('Only from these users').inputValue()).toBe('U01ADA, U02BOB')
  expect(await chat.getByLabel('Only in thread').inputValue()).toBe('1712345678.000100')
  await screenshot(page, 'trigger-chat-limits')
  expect(await axe(page)).toEqual([])
  await chat.getByLabel('Only from these users').fill('')
  await chat.getByLabel('Only in thread').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => Object.keys((await configuration()) ?? {})).not.toContain('allowed_user_ids')
  expect(await configuration()).not.toHaveProperty('thread_ts')
  expect(await configuration()).toMatchObject({ channel_id: 'C01YARD' })
  await call('DELETE', path)
  expect(faults).toEqual([])
})
