import { expect, test } from 'vitest'
import { openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

test('an undelivered message is deleted for good, and the others stay', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Leaves two undelivered', 'sleep 600', 'running')
  for (const prompt of ['sleep 611', 'sleep 612']) await call('POST', `/sessions/${id}/follow_up`, { prompt })
  await call('POST', `/sessions/${id}/archive`, { force: true })
  await call('POST', `/sessions/${id}/unarchive`)
  type Listed = { enqueued_messages: { content: string }[] }
  const undelivered = async () => {
    const { enqueued_messages } = await call<Listed>('GET', `/sessions/${id}/enqueued_messages?status=undelivered`)
    return enqueued_messages.map(({ content }) => content)
  }
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const list = page.getByRole('region', { name: 'Undelivered messages' })
  const remove = (content: string) =>
    list
      .getByRole('listitem')
      .filter({ hasText: content })
      .getByRole('button', { name: 'Delete the undelivered message' })
      .click()
  await remove('sleep 611')
  await list.getByText('sleep 611').waitFor({ state: 'detached' })
  await expect.poll(undelivered).toEqual(['sleep 612'])
  await list.getByText('sleep 612').waitFor()
  await remove('sleep 612')
  await list.waitFor({ state: 'detached' })
  expect(await undelivered()).toEqual([])
  expect(faults).toEqual([])
})
