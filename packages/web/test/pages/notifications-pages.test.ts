import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

test('more notifications than a page shows are counted and paged through', async () => {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    agent_root: 'sample',
    title: 'Tells a lot',
    git_root: '/nowhere',
  })
  for (let number = 1; number <= 102; number += 1)
    await call('POST', '/notifications/push', { session_id: session.id, message: `Message ${number} of many` })
  const { page, faults, goto } = await openPage({ size: 'phone' })
  await goto('/notifications')
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const oldest = page.getByText('Message 1 of many', { exact: true })
  await pages.getByText('1 to 100 of 102').waitFor()
  expect(await oldest.count()).toBe(0)
  await screenshot(page, 'notifications-paged-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await pages.getByRole('button', { name: 'Next' }).click()
  await oldest.waitFor()
  await pages.getByText('101 to 102 of 102').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBe('2')
  await page.reload()
  await oldest.waitFor()
  await page.getByRole('tab', { name: /Unread/ }).click()
  await pages.getByText('1 to 100 of 102').waitFor()
  expect(new URL(page.url()).search).toBe('?status=unread')
  await pages.getByRole('button', { name: 'Next' }).click()
  await oldest.waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ status: 'unread', page: '2' })
  expect(faults).toEqual([])
})
