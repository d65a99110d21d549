import { beforeEach, expect, test, vi } from 'vitest'
import { platformApp } from '../../support/remote/platform-app.ts'

const app = await platformApp()
app.chat.addChannel('C1', 'alerts')
app.chat.addChannel('D1', 'ada')

/** A message as the platform sends it; the session that it started, as it is shown. */
async function shownAfter(channel: string, posting: { user?: string; bot?: string; text: string }) {
  const ts = app.chat.post(channel, posting)
  expect((await app.sendChat(app.chat.eventOf(channel, ts))).status).toBe(200)
  await app.performJobs()
  const { rows } = await app.pool.query('select max(id)::int as id from sessions')
  return (await app.get(`/sessions/${rows[0].id}`)).body
}

beforeEach(async () => {
  await app.pool.query('delete from triggers')
  await app.pool.query('delete from people')
  await app.watch('chat', { event_type: 'new_message', channel_id: 'C1' }, { coalesce_window_seconds: 0 })
  // By hand: no one gets the key of earlier messages.
  await app.pool.query("insert into people (key, display_name, chat_user_id) values ('ada', 'Ada L.', 'U1')")
})

test('a chat message of a person on the list becomes one of the human_messages of its session', async () => {
  const { session, human_messages, human_message_capture_gaps } = await shownAfter('C1', {
    user: 'U1',
    text: 'the &lt;build&gt; is red',
  })
  expect(session.genesis).toBe('chat')
  expect(human_messages).toEqual([
    {
      origin: 'here',
      author: 'ada',
      author_display_name: 'Ada L.',
      channel: 'chat',
      channel_label: 'chat (alerts)',
      authored_in_session_id: session.id,
      authored_in: `this session (#${session.id})`,
      entry_point: 'chat.channel_message',
      content: 'the <build> is red',
      occurred_at: expect.any(String),
    },
  ])
  expect(human_message_capture_gaps).toEqual([])
})

test('a direct message is recorded as one', async () => {
  await app.watch('chat', { event_type: 'dm_message', allowed_user_ids: ['U1'] })
  const { human_messages } = await shownAfter('D1', { user: 'U1', text: 'psst' })
  expect(human_messages).toMatchObject([
    { author: 'ada', entry_point: 'chat.dm', channel_label: 'chat', content: 'psst' },
  ])
})

test('a room whose name the platform does not tell is not named by its id', async () => {
  await app.watch('chat', { event_type: 'new_message', channel_id: 'C2' }, { coalesce_window_seconds: 0 })
  app.chat.addChannel('C2', 'hidden')
  app.chat.failWith('conversations.info', 'channel_not_found')
  const { human_messages } = await shownAfter('C2', { user: 'U1', text: 'hello' })
  expect(human_messages).toMatchObject([{ channel_label: 'chat', content: 'hello' }])
})

test('a chat message of a person to a session that exists makes what was said about it stale', async () => {
  await app.pool.query('delete from triggers')
  const again = { coalesce_window_seconds: 0, reuse_session: true }
  await app.watch('chat', { event_type: 'new_message', channel_id: 'C1' }, again)
  const { session } = await shownAfter('C1', { user: 'U1', text: 'one' })
  await app.pool.query("update sessions set status = 'needs_input' where id = $1", [session.id])
  await app.post('/notifications/push', { session_id: session.id, message: 'Look at this.' })
  expect((await app.get('/notifications/badge')).body).toEqual({ pending_count: 1 })
  const later = await shownAfter('C1', { user: 'U1', text: 'two' })
  expect(later.session.id).toBe(session.id)
  expect((await app.get('/notifications/badge')).body).toEqual({ pending_count: 0 })
})

test('the message of a person that a burst notice shows is one of its human_messages', async () => {
  await app.pool.query('delete from triggers')
  await app.watch(
    'chat',
    { event_type: 'new_message', channel_id: 'C1' },
    { coalesce_window_seconds: 0, max_sessions_per_minute: 1 },
  )
  await shownAfter('C1', { user: 'U1', text: 'one' })
  const { session, human_messages } = await shownAfter('C1', { user: 'U1', text: 'two' })
  expect(session.metadata).toMatchObject({ burst_notice: true })
  expect(human_messages).toMatchObject([{ author: 'ada', content: 'two' }])
})

test('a message that takes long to redact holds no lock of its trigger meanwhile', async () => {
  const { redactor } = app.host.app
  let finish: (text: string) => void = () => undefined
  const redacting = vi.spyOn(redactor, 'text').mockImplementation(() => new Promise((resolve) => (finish = resolve)))
  const shown = shownAfter('C1', { user: 'U1', text: 'a long message' })
  await expect.poll(() => redacting).toHaveBeenCalledWith('a long message')
  expect((await app.pool.query('select from triggers for update nowait')).rowCount).toBe(1)
  redacting.mockRestore()
  finish('a redacted message')
  expect((await shown).human_messages).toMatchObject([{ content: 'a redacted message' }])
})

test('a chat message of someone who is not on the list is a gap that names the user id and the remedy', async () => {
  const { session, human_messages, human_message_capture_gaps } = await shownAfter('C1', { user: 'U7', text: 'hello' })
  expect(human_messages).toEqual([])
  expect(human_message_capture_gaps).toEqual([
    {
      channel: 'chat',
      channel_label: 'chat',
      genesis: 'chat',
      session_ids: [session.id],
      reason: 'No person had these user ids when they wrote, so their messages are not recorded: U7.',
      remedy: 'Add each of them who is a person to the people. Messages they send after that are recorded.',
    },
  ])
  await app.post('/people', { key: 'grace', display_name: 'Grace H.', chat_user_id: 'U7' })
  const later = await shownAfter('C1', { user: 'U7', text: 'again' })
  expect(later.human_messages).toMatchObject([{ author: 'grace', content: 'again' }])
  expect(later.human_message_capture_gaps).toEqual([])
  // What was not recorded stays a gap.
  expect((await app.get(`/sessions/${session.id}`)).body.human_message_capture_gaps).toHaveLength(1)
})

test('a chat message of an app is neither a human message nor a gap', async () => {
  const { human_messages, human_message_capture_gaps } = await shownAfter('C1', { bot: 'B9', user: 'U8', text: 'beep' })
  expect([human_messages, human_message_capture_gaps]).toEqual([[], []])
})

test('a message stays when its author leaves the list, under their key', async () => {
  const { session } = await shownAfter('C1', { user: 'U1', text: 'once' })
  await app.delete('/people/ada')
  const { human_messages } = (await app.get(`/sessions/${session.id}`)).body
  expect(human_messages).toMatchObject([{ author: 'ada', author_display_name: 'ada', content: 'once' }])
})
