import { afterAll, expect, test } from 'vitest'
import { startForgeServer } from '../../../server/test/support/remote/forge-server.ts'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const forge = await startForgeServer()
serverOfFile({ environment: forge.environment })
afterAll(() => forge.close())

test('a pull request of a session is in its row and in its info, with its state and its conflict', async () => {
  const pull = forge.open('acme/yard', { kind: 'pull_request', at: new Date(Date.now() + 60_000) })
  forge.setMergeable(pull, false)
  // An address that the prompt names would not be the agent's own.
  const address = forge.urlOf(pull).replace('/pull/', '/pu""ll/')
  const { id } = await makeSession('Opens a pull request', `run echo "opened ${address}"`)
  const { page, goto, faults } = await openPage()
  await goto('/')
  const row = page.locator('[data-session]', { hasText: 'Opens a pull request' })
  const link = row.getByRole('link', { name: `${pull.number} pull request, open, has a conflict` })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe(forge.urlOf(pull))
  await screenshot(page, 'board-pull-request')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await goto(`/sessions/${id}?tab=info`)
  const panel = page.getByRole('region', { name: 'Pull requests' })
  const listed = panel.getByRole('listitem').filter({ hasText: `acme/yard/pull/${pull.number}` })
  await listed.getByText('open', { exact: true }).waitFor()
  await listed.getByText('conflict', { exact: true }).waitFor()
  expect(await listed.getByRole('link').getAttribute('href')).toBe(forge.urlOf(pull))
  await screenshot(page, 'session-pull-request')
  expect(await axe(page)).toEqual([])
  expect(faults).toEqual([])
})

test('the backlog marks an item whose issue was closed, and one whose issue is gone', async () => {
  const issue = forge.open('acme/yard')
  forge.closeItem(issue)
  const open = forge.open('acme/yard')
  for (const [key, title, issueUrl] of [
    ['closed', 'Its issue was closed', forge.urlOf(issue)],
    ['open', 'Its issue is open', forge.urlOf(open)],
    ['gone', 'Its issue is gone', forge.urlOf({ ...issue, number: 999 })],
  ])
    await sharedServer().call('POST', '/work_backlog_items', {
      key,
      title,
      issue_url: issueUrl,
      repo: 'acme/yard',
      surface: 'uploads',
      kind: 'bug',
      scope_direction: 'convergent',
      estimated_cost: 'small',
    })
  const { page, goto, faults } = await openPage()
  await goto('/backlog')
  const row = (title: string) => page.locator('[data-item]').filter({ hasText: title })
  await row('Its issue was closed').getByText('issue closed', { exact: true }).waitFor()
  await row('Its issue is gone').getByText('issue missing', { exact: true }).waitFor()
  expect(
    await row('Its issue is open')
      .getByText(/^issue /)
      .count(),
  ).toBe(0)
  await screenshot(page, 'backlog-closed-issue')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})
