import { afterAll, expect, test } from 'vitest'
import { startForgeServer } from '../../../server/test/support/remote/forge-server.ts'
import { append, type Item, listed } from '../support/backlog.ts'
import { axe, openPage, overflows, pressUntilSeen, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { databaseOf } from '../support/database.ts'

const forge = await startForgeServer()
// Of their own: the counts of the tabs and the top of the queue are those of the whole backlog.
serverOfFile({ environment: forge.environment })
afterAll(() => forge.close())

async function queued(repo: string): Promise<string[]> {
  return (await listed(repo)).map(({ title }) => title)
}

test('an empty queue offers to add work, the keys open its dialogs, and work with a known key is not queued twice', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  await goto('/backlog')
  await page.getByText('The queue is empty').waitFor()
  await page.getByRole('tabpanel').getByRole('button', { name: 'Add work' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add work' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  // A click beside the dialog closes it, and what was typed is there again.
  await pressUntilSeen(page, 'a', dialog)
  await dialog.getByLabel('Prompt').fill('Count them by hand')
  await dialog.getByLabel('Notes').fill('Until Friday')
  await page.mouse.click(5, 5)
  await dialog.waitFor({ state: 'detached' })
  await pressUntilSeen(page, 'a', dialog)
  expect(await dialog.getByLabel('Prompt').inputValue()).toBe('Count them by hand')
  expect(await dialog.getByLabel('Notes').inputValue()).toBe('Until Friday')
  await dialog.getByLabel('Prompt').fill('')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const add = async () => {
    await pressUntilSeen(page, 'a', dialog)
    await dialog.getByLabel('What is to be done').fill('Count the retries')
    await dialog.getByLabel('Issue').fill('https://forge.example/acme/counted/issues/7')
    await dialog.getByLabel('Repository').fill('acme/counted')
    await dialog.getByLabel('Surface').fill('uploads')
    await dialog.getByLabel('Kind').fill('chore')
    await dialog.getByLabel('Key').fill('counted#7')
    await dialog.getByLabel('Cost').selectOption('medium')
    await dialog.getByLabel('Direction').selectOption('divergent')
    await dialog.getByLabel('Notes').fill('Ada knows more')
    await dialog.getByRole('button', { name: 'Queue it' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await add()
  await page.getByText('Queued at position 1', { exact: true }).waitFor()
  await add()
  await page.getByText('counted#7 is queued already, at position 1').waitFor()
  expect(await listed('counted')).toMatchObject([
    {
      key: 'counted#7',
      title: 'Count the retries',
      issue_url: 'https://forge.example/acme/counted/issues/7',
      kind: 'chore',
      estimated_cost: 'medium',
      scope_direction: 'divergent',
      notes: 'Ada knows more',
    },
  ])
  const pull = page.getByRole('dialog', { name: 'Pull from the top' })
  await pressUntilSeen(page, 'p', pull)
  await pull.getByRole('button', { name: 'Cancel' }).click()
  await pull.waitFor({ state: 'detached' })
  const [item] = await listed('counted')
  await call('POST', `/work_backlog_items/${item?.id}/remove`, { reason: 'of a test' })
  expect(faults).toEqual([])
})

test('an item is moved down by its menu and by Alt with an arrow key, and its details open from the menu', async () => {
  for (const title of ['one', 'two', 'three']) await append(title, { repo: 'acme/moved' })
  const { page, faults, goto } = await openPage()
  await goto('/backlog?repo=acme%2Fmoved')
  const row = (title: string) => page.locator('[data-item]').filter({ hasText: title })
  await row('one').getByRole('button', { name: 'Actions of one' }).click()
  await page.getByRole('menuitem', { name: 'Move down' }).click()
  await expect.poll(() => queued('moved')).toEqual(['two', 'one', 'three'])
  await row('one').getByRole('button', { name: 'one', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => queued('moved')).toEqual(['two', 'three', 'one'])
  await row('one').getByRole('button', { name: 'Actions of one' }).click()
  expect(await page.getByRole('menuitem', { name: 'Move down' }).isDisabled()).toBe(true)
  await page.getByRole('menuitem', { name: 'Details' }).click()
  await page.getByRole('dialog', { name: 'one' }).getByText('Queued by').waitFor()
  await page.keyboard.press('Escape')

  await row('three').getByRole('button', { name: 'Actions of three' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row('three').getByRole('button', { name: 'Actions of three' }).click()
  await page.getByRole('menuitem', { name: 'Pin at a rank' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await listed('moved')).map(({ title, pinned }) => [title, pinned])).toEqual([
    ['two', false],
    ['three', false],
    ['one', true],
  ])
  expect(faults).toEqual([])
})

test('the repository, the issue and the prompt of an item are copied from its details', async () => {
  const issue_url = 'https://forge.example/acme/copied/issues/3'
  const { id } = await append('To copy', { repo: 'acme/copied', issue_url, prompt: 'Count\nthem' })
  const { page, context, faults, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto('/backlog?repo=acme%2Fcopied')
  await page.getByRole('button', { name: 'To copy', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'To copy' })
  for (const [name, value] of [
    ['Copy repository', 'acme/copied'],
    ['Copy address of the issue', issue_url],
    ['Copy prompt', 'Count\nthem'],
  ] as const) {
    await dialog.getByRole('button', { name }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(value)
  }
  expect(await overflows(page)).toEqual([])
  await sharedServer().call('POST', `/work_backlog_items/${id}/remove`, { reason: 'of a test' })
  expect(faults).toEqual([])
})

test('the filters of the queue are in the address, and each leaves out what does not match', async () => {
  await append('first', { repo: 'acme/filtered', surface: 'uploads', pinned: true, precedence: 7_000 })
  await append('second', { repo: 'acme/filtered', surface: 'store', kind: 'chore' })
  await append('elsewhere', { repo: 'acme/unfiltered' })
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/backlog')
  const titles = () =>
    page.locator('[data-item]').evaluateAll((all) => all.map((row) => row.querySelector('button')?.textContent ?? ''))
  const address = () => Object.fromEntries(new URL(page.url()).searchParams)
  await page.getByText('elsewhere', { exact: true }).waitFor()
  await page.getByLabel('Repository').selectOption('acme/filtered')
  await expect.poll(titles).toEqual(['first', 'second'])
  await page.getByLabel('Surface').selectOption('store')
  await expect.poll(titles).toEqual(['second'])
  await page.getByLabel('Surface').selectOption('')
  await page.getByLabel('Kind').selectOption('chore')
  await expect.poll(titles).toEqual(['second'])
  expect(address()).toMatchObject({ repo: 'acme/filtered', kind: 'chore' })
  await page.getByLabel('Kind').selectOption('')
  await expect.poll(titles).toEqual(['first', 'second'])
  await page.getByLabel('Pinned').selectOption('true')
  await expect.poll(titles).toEqual(['first'])
  expect(address()).toMatchObject({ repo: 'acme/filtered', pinned: 'true' })
  await page.getByLabel('Pinned').selectOption('false')
  await expect.poll(titles).toEqual(['second'])
  await page.goBack()
  await expect.poll(titles).toEqual(['first'])
  await screenshot(page, 'backlog-filtered-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('the forge is asked by a button whether the issues are still open, before it is their turn', async () => {
  const { call } = sharedServer()
  const issue = forge.open('acme/asked')
  const { id } = await append('Asked about', { repo: 'acme/asked', issue_url: forge.urlOf(issue) })
  type Asked = { work_backlog_item: { liveness: string; liveness_checked_at: string | null } }
  const item = async () => (await call<Asked>('GET', `/work_backlog_items/${id}`)).work_backlog_item
  const liveness = async () => (await item()).liveness
  const database = await databaseOf(sharedServer().home)
  // As a minute later. No operation of the API sets a clock back.
  const becomeDue = () =>
    database.query(
      "update work_backlog_items set liveness_checked_at = now() - interval '1 minute', liveness_asked_at = null",
    )
  const { page, faults, goto } = await openPage({ size: 'phone' })
  await goto('/backlog?repo=acme%2Fasked')
  const row = page.locator('[data-item]').filter({ hasText: 'Asked about' })
  await row.waitFor()
  const ask = page.getByRole('button', { name: 'Ask the forge' })
  // The service asks about what is due by itself, every minute: it is made due again when it has been asked about.
  await call('POST', '/work_backlog_items/check_issues')
  await expect.poll(liveness).toBe('open')
  await becomeDue()
  const { liveness_checked_at: before } = await item()
  await ask.click()
  await page.getByText(/The forge is asked about \d+ issues?/).waitFor()
  // It was open before. Only the time tells that the forge was asked again.
  await expect.poll(async () => (await item()).liveness_checked_at).not.toBe(before)
  expect(await liveness()).toBe('open')
  // Its next turn is minutes away.
  forge.closeItem(issue)
  await ask.click()
  await page.getByText('No issue of the forge is queued, or all were asked about within the last minute').waitFor()
  expect(await liveness()).toBe('open')
  // On a phone what was said covers the button.
  const said = page.getByRole('status').getByRole('button', { name: 'Close' })
  while ((await said.count()) > 0) await said.first().click()
  await becomeDue()
  await ask.click()
  await row.getByText('issue closed', { exact: true }).waitFor()
  expect(await liveness()).toBe('closed')
  await screenshot(page, 'backlog-asked-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await call('POST', `/work_backlog_items/${id}/remove`, { reason: 'of a test' })
  expect(faults).toEqual([])
})

test('a pull first removes what the forge calls closed, and started items are in flight while their session runs', async () => {
  const { call } = sharedServer()
  const issue = forge.open('acme/pulled')
  forge.closeItem(issue)
  const top = { repo: 'acme/pulled', pinned: true }
  await append('Its issue was closed', { ...top, precedence: 9_001, key: 'pulled#1', issue_url: forge.urlOf(issue) })
  await append('Sleeps', { ...top, precedence: 9_000, prompt: 'sleep 3600' })
  await append('Speaks', { ...top, precedence: 8_999 })
  const { page, faults, goto } = await openPage()
  await goto('/backlog?repo=acme%2Fpulled')
  const row = (title: string) => page.locator('[data-item]').filter({ hasText: title })
  await page.getByRole('button', { name: 'Ask the forge' }).click()
  await row('Its issue was closed').getByText('issue closed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pull', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Pull from the top' })
  await dialog.getByLabel('How many').fill('2')
  expect(await dialog.getByRole('switch', { name: /First remove 1 whose issue is closed/ }).isChecked()).toBe(true)
  await screenshot(page, 'backlog-pull')
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Start them' }).click()
  await page.getByText(/Started 2: session \d+, \d+; removed 1/).waitFor()
  expect(await queued('pulled')).toEqual([])
  expect(await call('GET', '/work_backlog_items?status=removed&repo=acme/pulled')).toMatchObject({
    work_backlog_items: [{ key: 'pulled#1', removal_reason: 'issue_closed' }],
  })
  await page.getByRole('tab', { name: /^In flight/ }).click()
  await row('Sleeps')
    .getByRole('link', { name: /Session \d+/ })
    .waitFor()
  await page.getByRole('tab', { name: /^Parked/ }).click()
  await row('Speaks')
    .getByRole('link', { name: /Session \d+/ })
    .waitFor()
  await row('Sleeps').waitFor({ state: 'detached' })
  // The open page hears that a session was stopped.
  const { work_backlog_items: started } = await call<{ work_backlog_items: Item[] }>(
    'GET',
    '/work_backlog_items?status=in_flight&repo=acme/pulled',
  )
  const path = `/sessions/${started[0]?.started_session_id}`
  await expect.poll(() => call('GET', path)).toMatchObject({ session: { status: 'running' } })
  await call('POST', `${path}/pause`)
  await row('Sleeps').waitFor()
  await page.getByRole('tab', { name: /^Removed/ }).click()
  await row('Its issue was closed').waitFor()
  expect(faults).toEqual([])
})

test('an item whose issue is closed is removed with that reason, and a long queue is paged through', async () => {
  const { call } = sharedServer()
  for (let number = 1; number <= 101; number += 1)
    await append(`Item ${number}`, { repo: 'acme/long', estimated_cost: 'large' })
  const issue = forge.open('acme/long')
  forge.closeItem(issue)
  await append('Closed at the end', { repo: 'acme/long', estimated_cost: 'large', issue_url: forge.urlOf(issue) })
  const { page, faults, goto } = await openPage()
  await goto('/backlog?repo=acme%2Flong')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByText('1 to 100 of 102').waitFor()
  // The filters offer what no item of the page has.
  await append('Of another place', { repo: 'acme/beyond', surface: 'moon', estimated_cost: 'large' })
  await goto('/backlog?repo=acme%2Flong')
  await page.getByLabel('Surface').locator('option', { hasText: 'moon' }).waitFor({ state: 'attached' })
  await page.getByLabel('Repository').locator('option', { hasText: 'acme/beyond' }).waitFor({ state: 'attached' })
  const closed = page.locator('[data-item]').filter({ hasText: 'Closed at the end' })
  await pages.getByText('1 to 100 of 102').waitFor()
  expect(await closed.count()).toBe(0)
  await pages.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Ask the forge' }).click()
  await closed.getByText('issue closed', { exact: true }).waitFor()
  await pages.getByText('101 to 102 of 102').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBe('2')
  await closed.getByRole('button', { name: 'Actions of Closed at the end' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  expect(await page.getByLabel('Reason').inputValue()).toBe('issue closed')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await closed.waitFor({ state: 'detached' })
  expect(await call('GET', '/work_backlog_items?status=removed&repo=acme/long')).toMatchObject({
    work_backlog_items: [{ title: 'Closed at the end', removal_reason: 'issue closed', removed_by: 'Ada' }],
  })
  await pages.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Item 1', { exact: true }).waitFor()
  expect(faults).toEqual([])
})
