import { expect, test } from 'vitest'
import { followElicitations } from '../../../src/domain/notifications/follow-elicitations.ts'
import { testApp } from '../../support/app/app.ts'
import { asker } from '../../support/sessions/asking.ts'
import { byHand } from '../../support/triggers/by-hand.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { work } = byHand(app, { subscription: followElicitations, handlers: [] })
const { running, asked, respond } = asker(app)
const listed = async (id: number): Promise<Record<string, unknown>[]> =>
  (await app.get('/notifications?per_page=100')).body.notifications.filter(
    ({ session_id }: { session_id: number }) => session_id === id,
  )

test('a question to a person is announced with its first 150 characters, and a second one too', async () => {
  const { id, token } = await running({ title: 'Deploy' })
  await asked(token, { message: `Shall I\ndeploy? ${'x'.repeat(200)}` })
  await asked(token, { message: 'Send the mail?' })
  await work()
  const [second, first] = await listed(id)
  expect(second).toMatchObject({ notification_type: 'elicitation_pending', title: 'Deploy', body: 'Send the mail?' })
  expect(first?.body).toMatch(/^Shall I deploy\? x+\.\.\.$/)
  expect(first?.body).toHaveLength(150)
})

test('a question that was answered leaves the list, and one that is still open stays', async () => {
  const { id, token } = await running()
  const [one] = [await asked(token, { message: 'One?' }), await asked(token, { message: 'Two?' })]
  await work()
  expect((await respond(one, 'accept', {})).status).toBe(200)
  await work()
  expect(await listed(id)).toMatchObject([{ body: 'Two?' }])
})

test('a question that was answered before its notification is not announced', async () => {
  const { id, token } = await running()
  await respond(await asked(token), 'decline')
  await work()
  expect(await listed(id)).toEqual([])
})
