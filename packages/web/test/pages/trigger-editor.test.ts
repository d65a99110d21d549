import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger, readTrigger } from '../support/triggers.ts'

const limits = 'Limits, class and what its sessions are given'

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Saved').waitFor()
  await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor()
  // On a phone they lie above the buttons of the form.
  const toasts = page.getByRole('status').getByRole('button', { name: 'Close' })
  while ((await toasts.count()) > 0) await toasts.first().click()
}

test('a trigger is told to follow up one session, to queue its prompt and to restore the session, and forgets it all', async () => {
  const { call } = sharedServer()
  const session = await makeSession('Followed up by a trigger')
  const { id } = await makeTrigger({ name: 'Follows up', prompt_template: 'say again' })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText(limits).click()
  const reuses = page.getByRole('switch', { name: /^Follow up one session/ })
  // These two mean nothing without a session to follow up.
  expect(await page.getByRole('switch', { name: 'Queue the prompt while it runs' }).count()).toBe(0)
  await reuses.check()
  await page.getByLabel('Session', { exact: true }).fill(String(session.id))
  await page.getByRole('switch', { name: 'Queue the prompt while it runs' }).check()
  await page.getByRole('switch', { name: 'Restore it from the archive' }).check()
  await screenshot(page, 'trigger-follow-up')
  expect(await axe(page)).toEqual([])
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    reuse_session: true,
    last_session_id: session.id,
    enqueue_messages: true,
    resuscitate_archived: true,
  })

  // It reaches the session that was named instead of starting another one.
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(`**/sessions/${session.id}`)
  await page.getByText('again', { exact: true }).first().waitFor()
  expect(await readTrigger(id)).toMatchObject({ sessions_created_count: 0 })

  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText(limits).click()
  await expect.poll(() => page.getByLabel('Session', { exact: true }).inputValue()).toBe(String(session.id))
  expect(await page.getByRole('switch', { name: 'Queue the prompt while it runs' }).isChecked()).toBe(true)
  expect(await page.getByRole('switch', { name: 'Restore it from the archive' }).isChecked()).toBe(true)
  await page.getByLabel('Session', { exact: true }).fill('999999999')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Last session must reference an existing session').waitFor()
  await page.getByLabel('Session', { exact: true }).fill(String(session.id))
  await reuses.uncheck()
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    reuse_session: false,
    enqueue_messages: false,
    resuscitate_archived: false,
  })
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('the goal, the class, the rank, the limit and the fold of a trigger are stored, shown again, and taken back', async () => {
  const { call } = sharedServer()
  const chat = { condition_type: 'chat', configuration: { event_type: 'bot_mention' } }
  const { id } = await makeTrigger({ name: 'With limits', trigger_conditions_attributes: [chat] })
  const { page, faults, goto } = await openPage({ size: 'phone' })
  const fields = {
    Goal: 'All tests pass',
    'Rank in the spot queue': '15',
    'Sessions a minute, at most': '4',
    'Fold messages within, seconds': '90',
  }
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText(limits).click()
  await page.getByLabel('Class').selectOption('spot')
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
  await screenshot(page, 'trigger-limits-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    goal: 'All tests pass',
    scheduling_class: 'spot',
    precedence: 15,
    max_sessions_per_minute: 4,
    coalesce_window_seconds: 90,
  })
  await page.getByRole('tab', { name: 'Edit' }).click()
  await page.getByText(limits).click()
  for (const [label, value] of Object.entries(fields))
    await expect.poll(() => page.getByLabel(label).inputValue()).toBe(value)
  expect(await page.getByLabel('Class').inputValue()).toBe('spot')
  await page.getByLabel('Class').selectOption('')
  for (const label of Object.keys(fields)) await page.getByLabel(label).fill('')
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    goal: null,
    scheduling_class: null,
    precedence: null,
    max_sessions_per_minute: null,
    coalesce_window_seconds: null,
  })
  // A fold of messages is offered only with a chat condition.
  const { id: scheduled } = await makeTrigger({ name: 'Without a chat condition' })
  await goto(`/triggers/${scheduled}?tab=edit`)
  await page.getByText(limits).click()
  await page.getByLabel('Rank in the spot queue').waitFor()
  expect(await page.getByLabel('Fold messages within, seconds').count()).toBe(0)
  for (const each of [id, scheduled]) await call('DELETE', `/triggers/${each}`)
  expect(faults).toEqual([])
})

test('the servers, skills, hooks and plugins of a trigger are chosen, and given back to the root', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'With artifacts' })
  const { page, faults, goto } = await openPage()
  const lists = [
    { label: 'MCP servers', title: 'Clock', list: 'mcp_servers', name: 'yard-clock' },
    { label: 'Skills', title: 'Look around', list: 'catalog_skills', name: 'look-around' },
    { label: 'Hooks', title: 'Remind', list: 'catalog_hooks', name: 'remind' },
  ]
  const plugins = page.getByRole('group', { name: 'Plugins' })
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText(limits).click()
  for (const { label, title } of lists) {
    await page.getByRole('button', { name: `Choose ${label}` }).click()
    const box = page.getByRole('group', { name: label, exact: true }).getByRole('checkbox', { name: title })
    expect(await box.isChecked()).toBe(false)
    await box.check()
  }
  // The plugin of the root is what a person starts from.
  await page.getByRole('button', { name: 'Choose Plugins' }).click()
  const plugin = plugins.getByRole('checkbox', { name: 'First steps' })
  await expect.poll(() => plugin.isChecked()).toBe(true)
  await plugin.uncheck()
  await plugin.check()
  await screenshot(page, 'trigger-artifacts')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    ...Object.fromEntries(lists.map(({ list, name }) => [list, [name]])),
    catalog_plugins: ['first-steps'],
  })
  await page.getByRole('tab', { name: 'Edit' }).click()
  await page.getByText(limits).click()
  for (const { label, title } of lists) {
    const group = page.getByRole('group', { name: label, exact: true })
    await expect.poll(() => group.getByRole('checkbox', { name: title }).isChecked()).toBe(true)
    await group.getByRole('button', { name: "Use the root's" }).click()
  }
  await plugins.getByRole('button', { name: "Use the root's" }).click()
  await plugins.getByText('first-steps', { exact: true }).waitFor()
  await save(page)
  expect(await readTrigger(id)).toMatchObject({
    mcp_servers: [],
    catalog_skills: [],
    catalog_hooks: [],
    catalog_plugins: [],
  })
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('the conditions of a forge, of another session and of one time are typed and stored', async () => {
  const { call } = sharedServer()
  const { id: watched } = await makeSession('Watched by a trigger')
  const { id } = await makeTrigger({ name: 'With conditions' })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}?tab=edit`)
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('menuitem', { name }).click()
    return page.getByRole('group', { name, exact: true })
  }
  const issue = await add('New issue')
  await issue.getByLabel('Repositories').fill('acme/api')
  await issue.getByLabel('Without these labels').fill('wontfix, later')
  const label = await add('Label')
  await label.getByLabel('Repositories').fill('acme/web')
  await label.getByRole('textbox', { name: 'Labels' }).fill('yard, urgent')
  await label.getByLabel('On', { exact: true }).selectOption('issue')
  const other = await add('Another session')
  await other.getByLabel('When a session').selectOption('session_archived')
  await other.getByLabel('Only session').fill(String(watched))
  const schedule = page.getByRole('group', { name: 'Schedule' })
  await schedule.getByLabel('How often').selectOption('again')
  await schedule.getByLabel('How often').selectOption('once')
  await schedule.getByLabel('At', { exact: true }).fill('2041-02-03T04:05')
  await page.getByText('New issue in acme/api').waitFor()
  await save(page)
  const { conditions } = await readTrigger(id)
  expect(conditions).toHaveLength(4)
  expect(conditions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        condition_type: 'forge_issue',
        configuration: expect.objectContaining({ repos: ['acme/api'], exclude_labels: ['wontfix', 'later'] }),
      }),
      expect.objectContaining({
        condition_type: 'forge_label',
        configuration: expect.objectContaining({ repos: ['acme/web'], labels: ['yard', 'urgent'], target: 'issue' }),
      }),
      expect.objectContaining({
        condition_type: 'ao_event',
        configuration: expect.objectContaining({ event_name: 'session_archived', watched_session_id: watched }),
      }),
      expect.objectContaining({
        condition_type: 'schedule',
        configuration: expect.objectContaining({ scheduled_at: expect.stringContaining('2041-02-03T04:05') }),
      }),
    ]),
  )
  await page.getByRole('tab', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Remove the condition Label' }).click()
  await save(page)
  expect((await readTrigger(id)).conditions).toHaveLength(3)
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('a chat condition of each kind shows the limits that the kind has, and is stored without those of the kind before', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Listens in every way' })
  const { page, faults, goto } = await openPage()
  const chat = page.getByRole('group', { name: 'Chat message' })
  type Condition = { condition_type: string; configuration: Record<string, unknown> }
  const stored = async () =>
    ((await readTrigger(id)).conditions as Condition[]).find(({ condition_type }) => condition_type === 'chat')
      ?.configuration
  const labels = ['When', 'Channel id', 'Only in thread', 'Only from these users']
  const shown = async () => {
    const counts = await Promise.all(labels.map((label) => chat.getByLabel(label, { exact: true }).count()))
    return labels.filter((_, index) => counts[index])
  }
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'Chat message' }).click()
  expect(await shown()).toEqual(labels)
  await chat.getByLabel('Only from these users').fill('U01ADA, U02BOB')
  const kinds: [event_type: string, limits: string[], description: string][] = [
    ['dm_message', [], 'Direct message'],
    ['passive_listen_thread', ['Channel id'], 'Reply in a thread where the bot has spoken in C01YARD'],
    ['passive_listen_channel', ['Channel id'], 'Message in a channel where the bot has spoken in C01YARD'],
    ['passive_listen', ['Channel id'], 'Message where the bot has spoken in C01YARD'],
  ]
  for (const [event_type, limits, description] of kinds) {
    await chat.getByLabel('When').selectOption('bot_mention')
    await chat.getByLabel('Channel id').fill('C01YARD')
    await chat.getByLabel('Only in thread').fill('1712345678.000100')
    await chat.getByLabel('When').selectOption(event_type)
    expect(await shown()).toEqual(['When', ...limits, 'Only from these users'])
    await chat.locator('span', { hasText: description }).waitFor()
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await save(page)
    expect(await stored()).toEqual({
      event_type,
      ...(limits.length > 0 && { channel_id: 'C01YARD' }),
      allowed_user_ids: ['U01ADA', 'U02BOB'],
    })
    await page.getByRole('tab', { name: 'Edit' }).click()
    await expect.poll(() => chat.getByLabel('When').inputValue()).toBe(event_type)
  }
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('a list that someone else chooses for a trigger is shown in the form that is open', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Given a clock elsewhere' })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText(limits).click()
  await page.getByRole('button', { name: 'Choose MCP servers' }).waitFor()
  await call('PATCH', `/triggers/${id}`, { mcp_servers: ['yard-clock'] })
  const clock = page.getByRole('group', { name: 'MCP servers', exact: true }).getByRole('checkbox', { name: 'Clock' })
  await clock.and(page.locator(':checked')).waitFor()
  expect(faults).toEqual([])
})
