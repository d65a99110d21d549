import { expect, test } from 'vitest'
import { rowOf } from '../support/board.ts'
import { axe, openPage, overflows, screenshot, sharedServer, startServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger } from '../support/triggers.ts'

const at = '2026-11-17T02:00:00Z'

/** What the service writes about a session that does not go on, and what the page says of it. */
const states = [
  {
    name: 'held',
    status: 'waiting',
    metadata: { spot_hold_at: at, spot_hold_reason: 'fleet_at_cap', spot_hold_detail: '3rd of 12' },
    says: /Waits for a free slot: 3rd of 12 \(held .*\)/,
    offers: { role: 'button', name: 'Start now' },
  },
  {
    name: 'budget',
    status: 'waiting',
    metadata: { spot_hold_at: at, spot_hold_reason: 'budget_exhausted', spot_hold_detail: 'The day is spent.' },
    says: /The day is spent\./,
    offers: { role: 'link', name: 'Budgets' },
  },
  {
    name: 'stopped',
    status: 'needs_input',
    metadata: { stopped_by_budget: true },
    says: /A budget is spent/,
    offers: { role: 'link', name: 'Budgets' },
  },
  {
    name: 'quota',
    status: 'failed',
    metadata: { failure_reason: 'rate_limit', exit_status: 'You have hit your limit, resets 3pm' },
    says: /has no quota left/,
    offers: { role: 'button', name: 'Restart' },
  },
  {
    name: 'sign-in',
    status: 'failed',
    metadata: {
      failure_reason: 'oauth_required',
      oauth_required_servers: [{ server_name: 'linear', server_url: 'https://linear.example/mcp' }],
    },
    says: /It waits until someone authorizes linear, and goes on by itself/,
    offers: { role: 'button', name: 'Authorize linear' },
  },
  {
    name: 'outage',
    status: 'waiting',
    metadata: { auth_outage_parked_at: at, auth_outage_pool_recovers_at: at },
    says: /No account of demo can serve since/,
    offers: { role: 'link', name: 'Accounts' },
  },
  {
    name: 'lost',
    status: 'needs_input',
    metadata: { lost_elicitation: { reason: 'stranded', at, request_id: 'x', summary: 'Which of the two?' } },
    says: /A question went unanswered .*because its asker went away: “Which of the two\?”/,
    offers: { role: 'button', name: /^Send/ },
  },
  {
    name: 'paused',
    status: 'needs_input',
    metadata: { paused_by: 'user' },
    says: /You or a colleague paused it/,
    offers: { role: 'button', name: /^Send/ },
  },
  {
    name: 'asleep',
    status: 'waiting',
    metadata: { deliberate_sleep_at: at },
    says: /Fell asleep/,
    offers: { role: 'button', name: 'Wake' },
  },
] as const

test('a session that does not go on by itself says why, and offers what helps', async () => {
  const { id } = await makeSession('Does not go on')
  const { page, goto, faults } = await openPage()
  let state: (typeof states)[number] = states[0]
  await page.route(`**/web/*/v1/sessions/${id}`, async (route) => {
    const answer = await route.fetch()
    const { session, ...rest } = await answer.json()
    const json = { ...rest, session: { ...session, status: state.status, metadata: state.metadata } }
    await route.fulfill({ response: answer, json })
  })
  for (const each of states) {
    state = each
    await goto(`/sessions/${id}`)
    await page.getByRole('status').filter({ hasText: each.says }).waitFor()
    await page.getByRole(each.offers.role, { name: each.offers.name }).first().waitFor()
    expect({ state: each.name, faults: await axe(page) }).toEqual({ state: each.name, faults: [] })
    expect({ state: each.name, faults: await overflows(page) }).toEqual({ state: each.name, faults: [] })
    await screenshot(page, `session-banner-${each.name}`)
  }
  expect(faults).toEqual([])
})

test('an archived session says when its files go, and comes back', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('In the trash')
  await call('POST', `/sessions/${id}/archive`)
  const { page, goto } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}`)
  const banner = page.getByRole('status').filter({ hasText: 'In the trash · its files are cleaned up' })
  await banner.getByRole('button', { name: 'Unarchive' }).click()
  await banner.waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
})

test('a session that sleeps says on the board and on its page when it wakes, and leads to the trigger that wakes it', async () => {
  const { id } = await makeSession('Sleeps until a summer')
  const configuration = { scheduled_at: '2040-06-15T12:00:00', timezone: 'UTC' }
  const wake = await makeTrigger({
    name: 'Look again in summer',
    reuse_session: true,
    last_session_id: id,
    trigger_conditions_attributes: [{ condition_type: 'schedule', configuration }],
  })
  for (const size of ['desktop', 'phone'] as const) {
    const { page, goto, faults } = await openPage({ size })
    await goto('/?q=Sleeps+until')
    await rowOf(page, 'Sleeps until a summer')
      .getByText(/^Wakes at .*2040/)
      .waitFor({ state: 'attached' })
    await goto(`/sessions/${id}`)
    const banner = page.getByRole('status').filter({ hasText: 'Fell asleep' })
    const line = banner.getByRole('listitem').filter({ hasText: /^Wakes in \d+/ })
    expect(await line.locator('time').getAttribute('datetime')).toBe('2040-06-15T12:00:00Z')
    await screenshot(page, `session-asleep-${size}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await line.getByRole('link', { name: wake.name }).click()
    await page.waitForURL(`**/triggers/${wake.id}`)
    expect(faults).toEqual([])
  }
  const { page, goto } = await openPage()
  // A trigger may have a time that has passed as well. No request makes one.
  await page.route('**/v1/triggers?*wakes_session_id=*', async (route) => {
    const listed: { triggers: { conditions: object[] }[] } = await (await route.fetch()).json()
    for (const { conditions } of listed.triggers)
      conditions.push({ ...conditions[0], id: 0, next_run_at: null, last_triggered_at: '2020-06-15T12:00:00Z' })
    await route.fulfill({ json: listed })
  })
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  const line = page.getByRole('listitem').filter({ hasText: wake.name })
  await line.waitFor()
  expect(await line.count()).toBe(1)
  await sharedServer().call('DELETE', `/triggers/${wake.id}`)
  await line.waitFor({ state: 'detached' })
})

test('a session that waits for a free slot is started from its own page', async () => {
  const server = await startServer()
  const { call } = server
  await call('PATCH', '/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  const make = async (title: string, prompt: string) =>
    (await call<{ session: { id: number } }>('POST', '/sessions', { title, prompt, agent_root: 'sample' })).session.id
  const first = await make('Has the slot', 'sleep 600')
  const statusOf = async (id: number) =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${id}`)).session.status
  await expect.poll(() => statusOf(first)).toBe('running')
  const held = await make('Waits for the slot', 'say At last')
  const { page, goto, faults } = await openPage({ server })
  await goto(`/sessions/${held}`)
  const banner = page.getByRole('status').filter({ hasText: 'Waits for a free slot' })
  await banner.getByText('It begins with “say At last”').waitFor()
  await banner.getByRole('button', { name: 'Start now' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('At last', { exact: true }).waitFor()
  await banner.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
