import { expect, test } from 'vitest'
import { rowOf } from '../support/board.ts'
import {
  axe,
  keepBack,
  openPage,
  overflows,
  pressInSequence,
  pressUntilSeen,
  screenshot,
  serverOfFile,
  sharedServer,
  startServer,
} from '../support/browser.ts'
import { databaseOf } from '../support/database.ts'
import { ask, makeSession } from '../support/sessions.ts'
import { makeTrigger, readTrigger } from '../support/triggers.ts'

serverOfFile()

type Made = { session: { id: number; status: string } }

test('two people have one question: the second sees it go, and is told how it was answered', async () => {
  const { id } = await makeSession('Two people are asked')
  const message = `Deploy ${id} to staging now?`
  await ask(id, message)
  const [one, other] = [await openPage(), await openPage({ theme: 'dark' })]
  await one.goto('/inbox')
  await other.goto('/inbox')
  await one.page.getByText('live', { exact: true }).waitFor()
  await other.page.getByText('live', { exact: true }).waitFor()
  const question = { name: `Question: ${message}` }
  await other.page.getByRole('form', question).waitFor()
  await screenshot(other.page, 'inbox-question-dark')
  await one.page.getByRole('form', question).getByRole('button', { name: 'Accept' }).click()
  await one.page.getByRole('form', question).waitFor({ state: 'detached' })
  await other.page.getByRole('form', question).waitFor({ state: 'detached' })
  await other.page.getByText(`“${message}” was accepted elsewhere`).waitFor()
  expect(await one.page.getByText('elsewhere').count()).toBe(0)
  expect([...one.faults, ...other.faults]).toEqual([])
})

test('an answer that comes second is refused in the sentence of the API', async () => {
  const { id } = await makeSession('The stream is cut')
  const message = `Close ticket ${id}?`
  const { request } = await ask(id, message)
  const { page, goto, context } = await openPage()
  // A page that hears no event, as after a sleep of the laptop.
  await context.route('**/web/*/v1/events*', (route) => route.abort())
  await goto('/inbox')
  await page.getByRole('form', { name: `Question: ${message}` }).waitFor()
  await sharedServer().call('PATCH', `/elicitations/${request}/respond`, { action_type: 'decline' })
  await page
    .getByRole('form', { name: `Question: ${message}` })
    .getByRole('button', { name: 'Accept' })
    .click()
  await page
    .getByRole('status')
    .getByText(/already|answered|pending/i)
    .waitFor()
  await page.getByRole('form', { name: `Question: ${message}` }).waitFor({ state: 'detached' })
})

test('a finished session is followed up in place, archived with undo, opened, and marked as seen', async () => {
  const { call } = sharedServer()
  const one = await makeSession('Finished and unread')
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await goto(`/inbox#session-${one.id}`)
  const card = page.locator(`#session-${one.id}`)
  await card.getByText('Done, unread').waitFor()
  await screenshot(page, 'inbox-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await card.getByRole('button', { name: 'Follow up' }).click()
  await card.getByLabel('Message').fill('Say goodbye')
  await card.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Sent to “Finished and unread”').waitFor()
  await expect
    .poll(async () => (await call<{ turns: unknown[] }>('GET', `/sessions/${one.id}/turns`)).turns.length)
    .toBe(2)
  const other = await makeSession('Archived from the inbox')
  await page.locator(`#session-${other.id}`).getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  const status = async () =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${other.id}`)).session.status
  await expect.poll(status).toBe('needs_input')
  const third = await makeSession('Seen in the inbox')
  await page.locator(`#session-${third.id}`).getByRole('button', { name: 'Seen' }).click()
  await page.locator(`#session-${third.id}`).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('keys move through the cards, accept a question and mark a finished session as seen', async () => {
  await makeSession('Comes after the question')
  const asking = await makeSession('Asked by keys')
  await ask(asking.id, `Go on with ${asking.id}?`)
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${asking.id}`)
  await page.locator(`#session-${asking.id}[data-cursor]`).waitFor()
  await page.keyboard.press('j')
  await page.locator(`#session-${asking.id}:not([data-cursor])`).waitFor()
  await page.keyboard.press('k')
  await page.locator(`#session-${asking.id}[data-cursor]`).waitFor()
  await page.keyboard.press('a')
  await page.getByText(`Go on with ${asking.id}?`).waitFor({ state: 'detached' })
  const asked = await makeSession('Declined by a key')
  await ask(asked.id, `Delete ${asked.id}?`)
  await goto(`/inbox#session-${asked.id}`)
  await page.locator(`#session-${asked.id}[data-cursor]`).waitFor()
  // The list may be older than the question.
  await page.getByText(`Delete ${asked.id}?`).waitFor()
  await page.keyboard.press('d')
  await page.getByText(`Delete ${asked.id}?`).waitFor({ state: 'detached' })
  await screenshot(page, 'inbox-desktop')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a follow-up is sent once however long Ctrl+Enter is held, and a blank one is not sent', async () => {
  const { id } = await makeSession('Sent by held keys')
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${id}`)
  const card = page.locator(`#session-${id}`)
  await card.getByRole('button', { name: 'Follow up' }).click()
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/follow_up')) sent.push(request.postDataJSON())
  })
  await card.getByLabel('Message').fill(' ')
  await page.keyboard.press('Control+Enter')
  await card.getByLabel('Message').fill('say it once')
  const release = await keepBack(page, '**/follow_up')
  await pressInSequence(page, 'Control+Enter', 'Control+Enter', 'Control+Enter')
  release()
  await page.getByRole('status').getByText('Sent to “Sent by held keys”').waitFor()
  expect(sent).toEqual([{ prompt: 'say it once' }])
  expect(faults).toEqual([])
})

test('a question is answered once however often the keys are pressed', async () => {
  const { id } = await makeSession('Pressed twice')
  await ask(id, `Accept ${id} once?`)
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${id}`)
  await page.locator(`#session-${id}[data-cursor]`).waitFor()
  const form = page.getByRole('form', { name: `Question: Accept ${id} once?` })
  // The list may be older than the question.
  await form.waitFor()
  const answers: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/respond')) answers.push(request.postDataJSON())
  })
  const release = await keepBack(page, /\/elicitations\/\d+\/respond$/)
  await pressInSequence(page, 'a', 'a', 'd')
  release()
  await form.waitFor({ state: 'detached' })
  expect(answers).toEqual([{ action_type: 'accept', content: {} }])
  expect(faults).toEqual([])
})

test('of two questions of a session the keys answer the first, and leave the second alone', async () => {
  const { id } = await makeSession('Asks two things')
  await ask(id, `How many of ${id}?`, { type: 'object', properties: { many: { type: 'integer' } }, required: ['many'] })
  await ask(id, `Delete ${id}?`)
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${id}`)
  await page.locator(`#session-${id}[data-cursor]`).waitFor()
  const [first, second] = [`How many of ${id}?`, `Delete ${id}?`].map((message) =>
    page.getByRole('form', { name: `Question: ${message}` }),
  )
  await second?.waitFor()
  await page.keyboard.press('a')
  await expect.poll(() => first?.locator(':focus').count()).toBe(1)
  await page.getByRole('heading', { name: 'Inbox' }).click()
  await page.keyboard.press('d')
  await first?.waitFor({ state: 'detached' })
  expect(await second?.count()).toBe(1)
  expect(faults).toEqual([])
})

test('a failed trigger is enabled again in the inbox, once, by its button or by a', async () => {
  const byButton = await makeTrigger({ name: 'Enabled by its button', status: 'failed' })
  const byKey = await makeTrigger({ name: 'Enabled by a key', status: 'failed' })
  const { page, goto, faults } = await openPage()
  const changed: string[] = []
  page.on('request', (request) => {
    const [, id] = /\/triggers\/(\d+)$/.exec(request.url()) ?? []
    if (id && request.method() === 'PATCH') changed.push(id)
  })
  await goto('/inbox')
  const line = page.locator(`#trigger-${byButton.id}`)
  await line.waitFor()
  await screenshot(page, 'inbox-triggers')
  expect(await axe(page)).toEqual([])
  await line.getByRole('button', { name: 'Enable again' }).dblclick()
  await line.waitFor({ state: 'detached' })
  await goto(`/inbox#trigger-${byKey.id}`)
  await page.locator(`#trigger-${byKey.id}[data-cursor]`).waitFor()
  await pressInSequence(page, 'a', 'a')
  await page.locator(`#trigger-${byKey.id}`).waitFor({ state: 'detached' })
  expect(changed).toEqual([String(byButton.id), String(byKey.id)])
  for (const { id } of [byButton, byKey]) expect(await readTrigger(id)).toMatchObject({ status: 'enabled' })
  expect(faults).toEqual([])
})

test('the board answers the most urgent of it on its first screen', async () => {
  const { id } = await makeSession('Asked on the board')
  const message = `Restart host ${id}?`
  await ask(id, message)
  const { page, goto, faults } = await openPage()
  await goto('/')
  const strip = page.getByRole('region', { name: 'Needs you' })
  const line = strip.getByRole('listitem').filter({ hasText: message })
  await line.getByText(/expires in/).waitFor()
  await screenshot(page, 'board-needs-you')
  expect(await axe(page)).toEqual([])
  await line.getByRole('button', { name: 'Decline' }).click()
  await line.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a session that failed is started again from the board and from the inbox', async () => {
  const { call } = sharedServer()
  const onBoard = await makeSession('Failed on the board', 'fail the disk is full')
  const inInbox = await makeSession('Failed in the inbox', 'fail the disk is full')
  const turnsOf = async (id: number) => (await call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns.length
  const { page, goto, faults } = await openPage()
  await goto('/')
  const line = page
    .getByRole('region', { name: 'Needs you' })
    .getByRole('listitem')
    .filter({ hasText: 'Failed on the board' })
  await line.getByRole('button', { name: 'Restart' }).click()
  await page.getByRole('status').getByText('Restarted “Failed on the board”').waitFor()
  expect(await turnsOf(onBoard.id)).toBe(2)
  await goto('/inbox')
  const card = page.locator(`#session-${inInbox.id}`)
  await card.getByText('the disk is full').first().waitFor()
  await card.getByRole('button', { name: 'Restart' }).click()
  await page.getByRole('status').getByText('Restarted “Failed in the inbox”').waitFor()
  expect(await turnsOf(inInbox.id)).toBe(2)
  expect(faults).toEqual([])
})

test.each(['/', '/inbox'])(
  'a second press on Restart of %s does not restart what the first has started, but one after the next failure does',
  async (path) => {
    const { id } = await makeSession(`Pressed on ${path}`, 'fail the disk is full')
    const { page, goto, faults } = await openPage()
    let restarts = 0
    page.on('request', (request) => {
      if (request.url().endsWith(`/sessions/${id}/restart`)) restarts += 1
    })
    await goto(path)
    const button = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: `Pressed on ${path}` })
      .getByRole('button', { name: 'Restart' })
    await button.waitFor()
    const release = await keepBack(page, /\/needs_you/)
    await button.dblclick()
    await page.getByRole('status').getByText('Restarted').waitFor()
    // The list is as old as before.
    await button.click()
    release()
    await button.waitFor({ state: 'detached' })
    expect(restarts).toBe(1)
    await sharedServer().call('POST', `/sessions/${id}/follow_up`, { prompt: 'fail the network is down' })
    await button.click()
    await expect.poll(() => restarts).toBe(2)
    expect(faults).toEqual([])
  },
)

test('a session that is held is in the inbox, is reached by j, and starts at once by a', async () => {
  const server = await startServer()
  await server.call('PATCH', '/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  const spot = { agent_root: 'sample', scheduling_class: 'spot' }
  const { session: first } = await server.call<Made>('POST', '/sessions', { ...spot, prompt: 'sleep 600' })
  const status = async (id: number) => (await server.call<Made>('GET', `/sessions/${id}`)).session.status
  await expect.poll(() => status(first.id)).toBe('running')
  const { session } = await server.call<Made>('POST', '/sessions', { ...spot, prompt: 'say hello', title: 'Waits' })
  const { page, goto, faults } = await openPage({ server })
  await goto(`/sessions/${session.id}`)
  await page.getByRole('status').getByText('It begins with “say hello”').waitFor()
  await goto('/inbox')
  const row = page.getByRole('listitem').filter({ hasText: 'Waits for a free slot' })
  await row.getByRole('link', { name: 'Waits', exact: true }).waitFor()
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await pressUntilSeen(page, 'j', page.locator(`#held-${session.id}[data-cursor]`))
  await page.keyboard.press('a')
  await expect.poll(() => status(session.id)).toBe('needs_input')
  await row.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a session that a budget holds is in the inbox with a way to the budgets', async () => {
  const server = await startServer()
  const { session: spender } = await server.call<Made>('POST', '/sessions', {
    agent_root: 'sample',
    prompt: 'usage 1200 34',
  })
  const { call } = server
  await expect.poll(async () => (await call<Made>('GET', `/sessions/${spender.id}`)).session.status).toBe('needs_input')
  type Budgets = { budgets: { state: string }[] }
  await call('POST', '/budgets', { scope: 'agent_root', agent_root: 'sample', period: 'month', limit_tokens: 1000 })
  await expect
    .poll(async () => (await call<Budgets>('GET', '/budgets')).budgets)
    .toMatchObject([{ state: 'exhausted' }])
  await call('POST', '/sessions', {
    agent_root: 'sample',
    scheduling_class: 'spot',
    prompt: 'say later',
    title: 'Later',
  })
  const { page, goto, faults } = await openPage({ server })
  await goto('/inbox')
  const row = page.getByRole('listitem').filter({ hasText: 'Waits for a budget' })
  await row.getByRole('link', { name: 'Later', exact: true }).waitFor()
  expect(await row.getByRole('button', { name: 'Start now' }).count()).toBe(0)
  await row.getByRole('link', { name: 'Budgets' }).click()
  await page.waitForURL('**/costs')
  expect(faults).toEqual([])
})

test('a session that no vendor account can serve says so on the board and in the inbox, which lead to the accounts', async () => {
  const database = await databaseOf(sharedServer().home)
  const outage = { auth_outage_parked_at: '2026-11-17T02:00:00Z' }
  for (const [title, more] of [
    [
      'Parked for a quota',
      { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: '2040-01-01T00:00:00Z' },
    ],
    ['Parked and due', { auth_outage_reason: 'quota_exhausted', auth_outage_pool_recovers_at: '2020-01-01T00:00:00Z' }],
    ['Parked for a sign-in', { auth_outage_reason: 'auth_unrecoverable' }],
  ] as const) {
    const { id } = await makeSession(title)
    const metadata = { ...outage, ...more }
    // The order of a real outage: a turn is queued, and the session is passed over.
    await database.query("update sessions set status = 'waiting', metadata = metadata || $2 where id = $1", [
      id,
      metadata,
    ])
    await database.query(
      "insert into turns (session_id, sequence, source, prompt, state) values ($1, 2, 'recovery', 'say on', 'queued')",
      [id],
    )
  }
  for (const size of ['desktop', 'phone'] as const) {
    const { page, goto, faults } = await openPage({ size })
    await goto('/?view=ranked&q=Parked')
    await rowOf(page, 'Parked for a quota')
      .getByText(/^No account free, one in \d+ d$/)
      .waitFor()
    await rowOf(page, 'Parked for a sign-in').getByText('Sign in: no account free').waitFor()
    await rowOf(page, 'Parked and due').getByText('No account free', { exact: true }).waitFor()
    if (size === 'desktop') await page.getByRole('link', { name: /, 3 held$/ }).waitFor()
    // The others of the spot queue do not wait for these.
    expect(await page.getByText(/^Held here/).count()).toBe(0)
    await screenshot(page, `board-parked-${size}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await goto('/inbox')
    const row = page.getByRole('listitem').filter({ hasText: 'Parked for a sign-in' })
    await row.getByText('Sign in: no account free').waitFor()
    await screenshot(page, `inbox-parked-${size}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(await row.getByRole('button', { name: 'Start now' }).count()).toBe(0)
    await row.getByRole('link', { name: 'Accounts' }).click()
    await page.waitForURL('**/inference?runtime=demo')
    expect(faults).toEqual([])
  }
})
