import { expect, test } from 'vitest'
import { append, listed } from '../support/backlog.ts'
import { idleSession } from '../support/board.ts'
import { openPage, serverOfFile, sharedServer } from '../support/browser.ts'
import { holdBack } from '../support/held-writes.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger, readTrigger } from '../support/triggers.ts'

serverOfFile()

test('a trigger that is switched in the list shows it before the server answers, and goes back if it is refused', async () => {
  const { id } = await makeTrigger({ name: 'Switched in the list' })
  const { page, faults, goto } = await openPage()
  await goto('/triggers')
  const row = page.getByRole('listitem').filter({ hasText: 'Switched in the list' })
  const write = await holdBack(page, `**/v1/triggers/${id}/toggle`)
  await row.getByRole('button', { name: 'Disable Switched in the list' }).click()
  await row.getByText('disabled', { exact: true }).waitFor()
  await write.refuse('The list is closed')
  await row.getByText('enabled', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Disable Switched in the list' }).click()
  await row.getByText('disabled', { exact: true }).waitFor()
  expect(await readTrigger(id)).toMatchObject({ status: 'enabled' })
  await write.passOn()
  await expect.poll(() => readTrigger(id)).toMatchObject({ status: 'disabled' })
  expect(faults).toEqual([])
})

test('a failed trigger that is enabled on its page shows it before the server answers, and fails again if it is refused', async () => {
  const { id } = await makeTrigger({ name: 'Switched on its page', status: 'failed' })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}`)
  const enable = page.getByRole('button', { name: 'Enable again' })
  const disable = page.getByRole('button', { name: 'Disable' })
  const write = await holdBack(page, `**/v1/triggers/${id}/toggle`)
  await enable.click()
  await disable.waitFor()
  await page.getByRole('main').getByText('enabled', { exact: true }).waitFor()
  await write.refuse('The page is closed')
  await enable.waitFor()
  await page.getByRole('main').getByText('failed', { exact: true }).waitFor()
  await enable.click()
  await disable.waitFor()
  await write.passOn()
  await expect.poll(() => readTrigger(id)).toMatchObject({ status: 'enabled' })
  expect(faults).toEqual([])
})

test('notifications are read and dismissed before the server answers, and come back if it refuses', async () => {
  const { call } = sharedServer()
  const unread = async () => (await call<{ pending_count: number }>('GET', '/notifications/badge')).pending_count
  for (const title of ['The gate is open', 'The gate is shut']) {
    // One that rests would get another notification a minute later.
    const { id } = await idleSession(title)
    await call('POST', '/notifications/push', { session_id: id, message: `${title} now` })
  }
  await expect.poll(unread).toBeGreaterThanOrEqual(2)
  const { page, faults, goto } = await openPage()
  await goto('/notifications?status=unread')
  const row = page.getByRole('listitem').filter({ hasText: 'The gate is open now' })
  const other = page.getByRole('listitem').filter({ hasText: 'The gate is shut now' })
  await other.waitFor()
  const marked = await holdBack(page, '**/v1/notifications/*/mark_read')
  // What was read leaves the list of unread ones.
  await row.getByRole('button', { name: /^Mark/ }).click()
  await row.waitFor({ state: 'detached' })
  await marked.refuse('It stays unread')
  await row.waitFor()
  await page.getByRole('tab', { name: 'All' }).click()
  const before = await unread()
  await row.getByRole('button', { name: /^Mark/ }).click()
  const dismiss = row.getByRole('button', { name: /^Dismiss/ })
  await dismiss.waitFor()
  await marked.passOn()
  await expect.poll(unread).toBe(before - 1)

  const dismissed = await holdBack(page, '**/v1/notifications/*/dismiss')
  await dismiss.click()
  await row.waitFor({ state: 'detached' })
  await dismissed.refuse('It cannot be dismissed now')
  await dismiss.click()
  await row.waitFor({ state: 'detached' })
  await dismissed.passOn()

  const allMarked = await holdBack(page, '**/v1/notifications/mark_all_read')
  await page.getByRole('button', { name: 'Mark all read' }).click()
  await other.getByRole('button', { name: /^Dismiss/ }).waitFor()
  await allMarked.refuse('They stay unread')
  await other.getByRole('button', { name: /^Mark/ }).waitFor()
  await page.getByRole('button', { name: 'Mark all read' }).click()
  await allMarked.passOn()
  await expect.poll(unread).toBe(0)

  const allDismissed = await holdBack(page, '**/v1/notifications/dismiss_all_read')
  await page.getByRole('button', { name: 'Dismiss all read' }).click()
  await other.waitFor({ state: 'detached' })
  await allDismissed.refuse('They stay in the list')
  await other.waitFor()
  expect(faults).toEqual([])
})

test('a deleted message leaves the queue before the server answers, and is in its old place again if it refuses', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('One is deleted', 'sleep 600', 'running')
  for (const prompt of ['say one', 'say two', 'say three']) await call('POST', `/sessions/${id}/follow_up`, { prompt })
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const messages = page.getByRole('list', { name: 'Queue' }).getByRole('listitem')
  const texts = async () => (await messages.allInnerTexts()).map((text) => /say \w+/.exec(text)?.[0])
  await messages.filter({ hasText: 'say three' }).waitFor()
  const write = await holdBack(page, '**/v1/sessions/*/enqueued_messages/*')
  const remove = async () => {
    await messages
      .filter({ hasText: 'say two' })
      .getByRole('button', { name: /^More for message/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  await remove()
  await expect.poll(texts).toEqual(['say one', 'say three'])
  await messages.getByRole('button', { name: /^Message 2 of 2/ }).waitFor()
  await write.refuse('The queue is locked')
  await expect.poll(texts).toEqual(['say one', 'say two', 'say three'])
  await remove()
  await expect.poll(texts).toEqual(['say one', 'say three'])
  // A message below one that is still being deleted moves to the place of that one.
  await messages
    .filter({ hasText: 'say one' })
    .getByRole('button', { name: /^Message 1 of 2/ })
    .press('Alt+ArrowDown')
  await expect.poll(texts).toEqual(['say three', 'say one'])
  await write.passOn()
  type Queue = { enqueued_messages: { content: string }[] }
  await expect
    .poll(async () => {
      const { enqueued_messages } = await call<Queue>('GET', `/sessions/${id}/enqueued_messages?status=pending`)
      return enqueued_messages.map(({ content }) => content)
    })
    .toEqual(['say three', 'say one'])
  expect(faults).toEqual([])
})

test('an item is unpinned before the server answers, and is pinned again if it refuses', async () => {
  const { call } = sharedServer()
  const { id } = await append('Unpinned at once', { repo: 'acme/unpinned' })
  await call('PATCH', `/work_backlog_items/${id}/pin`, { precedence: 987 })
  const { page, faults, goto } = await openPage()
  await goto('/backlog?repo=acme%2Funpinned')
  const row = page.getByRole('listitem').filter({ hasText: 'Unpinned at once' })
  const badge = row.getByText('pinned', { exact: true })
  await badge.waitFor()
  const unpin = async () => {
    await row.getByRole('button', { name: /^Actions of/ }).click()
    await page.getByRole('menuitem', { name: 'Unpin' }).click()
  }
  const write = await holdBack(page, `**/v1/work_backlog_items/${id}/unpin`)
  await unpin()
  await badge.waitFor({ state: 'detached' })
  await write.refuse('The rank is fixed')
  await badge.waitFor()
  await page.getByLabel('Pinned', { exact: true }).selectOption('true')
  await page.waitForURL(/pinned=true/)
  await badge.waitFor()
  await unpin()
  await row.waitFor({ state: 'detached' })
  await write.passOn()
  await expect.poll(() => listed('unpinned')).toMatchObject([{ pinned: false }])
  expect(faults).toEqual([])
})

test('the model of the next turn is shown before the server answers, and the old one again if it refuses', async () => {
  const { call } = sharedServer()
  type Configs = { runtime_models: Record<string, { models: { id: string; label: string }[] }> }
  type Shown = { session: { id: number; config: { model?: string } } }
  const { runtime_models } = await call<Configs>('GET', '/configs')
  const models = runtime_models.runtime_alpha?.models ?? []
  // Without a prompt nothing runs, so no vendor's program is needed.
  const made = { agent_runtime: 'runtime_alpha', title: 'Another model at once', agent_root: 'sample' }
  const { session } = await call<Shown>('POST', '/sessions', made)
  const labelOf = (isWanted: boolean) =>
    models.find(({ id }) => (id === session.config.model) === isWanted)?.label ?? ''
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${session.id}`)
  const current = page.getByRole('button', { name: labelOf(true), exact: true })
  const other = page.getByRole('button', { name: labelOf(false), exact: true })
  const write = await holdBack(page, `**/v1/sessions/${session.id}/model`)
  const choose = async () => {
    await current.click()
    await page.getByRole('menuitem', { name: labelOf(false), exact: true }).click()
    await other.waitFor()
  }
  await choose()
  await write.refuse('The model is taken')
  await choose()
  const stored = async () => (await call<Shown>('GET', `/sessions/${session.id}`)).session.config.model
  expect(await stored()).toBe(session.config.model)
  await write.passOn()
  await expect.poll(stored).toBe(models.find(({ id }) => id !== session.config.model)?.id)
  expect(faults).toEqual([])
})

test('a session is archived on its page before the server answers, and is there again if it refuses', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Archived at once')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const archive = page.getByRole('button', { name: 'Archive', exact: true })
  const unarchive = page.getByRole('button', { name: 'Unarchive' }).first()
  const write = await holdBack(page, `**/v1/sessions/${id}/archive`)
  await archive.click()
  await unarchive.waitFor()
  await write.refuse('The archive is full')
  await archive.click()
  await unarchive.waitFor()
  await write.passOn()
  type Shown = { session: { status: string } }
  await expect.poll(async () => (await call<Shown>('GET', `/sessions/${id}`)).session.status).toBe('archived')
  expect(faults).toEqual([])
})
