import { expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const { app, atWork } = await agentsAtWork()
const ownServer = 'yardmaster-self-session'
const notifications = ['get_notifications', 'send_push_notification', 'action_notification']
const names = async (client: ReturnType<typeof mcpClient>) => (await client.tools()).map(({ name }) => name as string)

test('an API key sends, finds, reads and dismisses notifications', async () => {
  const { call } = mcpClient(app)
  const session_id = await insertSession(app.pool, { status: 'needs_input', slug: 'tidy-up' })
  const send = (args: Record<string, unknown>) => call('send_push_notification', args)
  for (const name of [session_id, 'tidy-up'])
    expect(await send({ session_id: name, message: `About ${name}` })).toMatchObject({
      isError: false,
      text: expect.stringContaining('Push notification queued'),
    })
  expect(await send({ session_id })).toMatchObject({ isError: true, text: expect.stringContaining('message') })
  expect(await send({ session_id: 999_999, message: 'x' })).toMatchObject({ isError: true })

  const listed = await call('get_notifications', { status: 'unread' })
  expect(listed.text).toMatch(/About tidy-up[\s\S]*About \d+/)
  const id = Number(/\bid: (\d+)/.exec(listed.text)?.[1])
  expect((await call('get_notifications', { id })).text).toContain('body: About tidy-up')

  const act = (action: string, args = {}) => call('action_notification', { action, ...args })
  expect(await act('dismiss', { id })).toEqual({ isError: true, text: 'Cannot dismiss unread notification' })
  expect(await act('mark_read', { id })).toMatchObject({ isError: false })
  expect(await act('dismiss', { id })).toEqual({ isError: false, text: 'Done.' })
  expect((await act('mark_all_read')).text).toContain('marked_count: 1')
  expect((await act('dismiss_all_read')).text).toContain('dismissed_count: 1')

  const toggle = () => call('action_session', { action: 'toggle_push_notifications', session_id })
  expect((await toggle()).text).toContain('push_notifications_enabled: false')
  expect((await toggle()).text).toContain('push_notifications_enabled: true')
})

test('the groups of a caller decide which of the tools it is offered', async () => {
  expect(await names(mcpClient(app))).toEqual(expect.arrayContaining(notifications))
  expect(await names(mcpClient(app, { query: '?tool_groups=notifications' }))).toEqual(notifications)
  expect(await names(mcpClient(app, { query: '?tool_groups=notifications_readonly' }))).toEqual(['get_notifications'])
  expect(await names(mcpClient(app, { query: '?tool_groups=sessions' }))).not.toContain('get_notifications')
  const bound = await names(mcpClient(app, { query: '?tool_groups=notifications&allowed_agent_roots=api' }))
  expect(bound).toEqual(['send_push_notification'])
})

test('an agent sends about its own session and its descendants, and reads and dismisses nothing', async () => {
  const { id, clientOf } = await atWork(onRoot('lead'))
  const [child, stranger] = [
    await insertSession(app.pool, { parent_session_id: id }),
    await insertSession(app.pool, {}),
  ]
  const own = clientOf(ownServer)
  const send = (args: Record<string, unknown>) => own.call('send_push_notification', args)
  expect(await send({ message: 'About me' })).toMatchObject({ isError: false })
  expect(await send({ session_id: child, message: 'About my child' })).toMatchObject({ isError: false })
  expect(await send({ session_id: stranger, message: 'About another' })).toMatchObject({ isError: true })
  const { rows } = await app.pool.query(
    `select session_id::int, body from notifications where body like 'About my%' or body = 'About me' order by id`,
  )
  expect(rows).toEqual([
    { session_id: id, body: 'About me' },
    { session_id: child, body: 'About my child' },
  ])
  for (const server of [ownServer, 'yardmaster']) {
    const offered = await names(clientOf(server))
    expect(offered).not.toContain('get_notifications')
    expect(offered).not.toContain('action_notification')
  }
  const mute = await clientOf('yardmaster').call('action_session', { action: 'toggle_push_notifications' })
  expect(mute).toMatchObject({ isError: true, text: expect.stringContaining('Action must be one of') })
})

test('an agent that archives its own session is announced as finished, and what it said stays listed', async () => {
  const { id, clientOf } = await atWork({ ...onRoot('lead'), title: 'Errand' })
  const own = clientOf(ownServer)
  await own.call('send_push_notification', { message: 'Nearly done' })
  expect(await own.call('action_session', { action: 'archive' })).toMatchObject({ isError: false })
  const ofSession = async () =>
    (
      await app.pool.query(
        'select notification_type, body, stale from notifications where session_id = $1 order by id',
        [id],
      )
    ).rows
  await eventually(ofSession, ({ length }) => length === 2)
  expect(await ofSession()).toEqual([
    { notification_type: 'custom_message', body: 'Nearly done', stale: false },
    { notification_type: 'session_complete', body: 'Errand has finished', stale: false },
  ])
})
