import { afterEach, describe, expect, test } from 'vitest'
import { self } from '../../support/remote/chat-server.ts'
import { platformApp } from '../../support/remote/platform-app.ts'

const app = await platformApp()
let channels = 0

/** Each test has channels of its own. */
function channel(about?: Parameters<typeof app.chat.addChannel>[2]): string {
  channels += 1
  app.chat.addChannel(`C0${channels}`, `room-${channels}`, about)
  return `C0${channels}`
}
const say = (id: string, text: string, more: object = {}) => app.chat.post(id, { user: 'U1', text, ...more })

afterEach(async () => {
  await app.pool.query('delete from triggers')
  await app.pool.query('delete from poller_states')
})

describe('the chat poller', () => {
  test('the chat poller fires nothing at its first poll, and what is new at the next', async () => {
    const id = channel()
    say(id, 'before')
    const trigger = await app.watch('chat', { channel_id: id }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual([])
    say(id, 'one')
    say(id, 'two')
    await app.pollChat()
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say one', 'say two'])
    expect((await app.show(trigger)).conditions).toMatchObject([{ last_polled_at: expect.any(String) }])
  })

  test('the first message ever of an empty channel fires', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id })
    await app.pollChat()
    say(id, 'first')
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say first'])
  })

  test('a message that a webhook has delivered does not fire again', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    const ts = say(id, 'both ways')
    await app.sendChat(app.chat.eventOf(id, ts))
    await Promise.all([app.performJobs(), app.pollChat()])
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say both ways'])
  })

  test('the chat poller reads back over several pages after a pause', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id }, { coalesce_window_seconds: 3600 })
    await app.pollChat()
    for (let number = 1; number <= 120; number += 1) say(id, `m${number}`)
    await app.pollChat()
    const { rows } = await app.pool.query('select count(*)::int as count from trigger_events where trigger_id = $1', [
      trigger,
    ])
    expect(rows[0].count).toBe(120)
    const [prompt] = await app.promptsOf(trigger)
    expect(prompt).toContain('m1')
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('messages of one conversation within the window are one session', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id })
    await app.pollChat()
    say(id, 'first')
    say(id, 'second', { user: 'U2' })
    await app.pollChat()
    const prompts = await app.promptsOf(trigger)
    expect(prompts).toHaveLength(1)
    expect(prompts[0]).toMatch(/^say first[\s\S]*second/)
  })

  test('a mention is found in every channel that the service is in, in threads too', async () => {
    const [here, there, outside] = [channel(), channel(), channel({ isMember: false })]
    const parent = say(here, 'parent')
    const trigger = await app.watch('chat', { event_type: 'bot_mention' }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    say(there, `<@${self.userId}> top`)
    say(here, `<@${self.userId}> deep`, { thread: parent })
    say(here, 'no mention', { thread: parent })
    say(outside, `<@${self.userId}> unseen`)
    await app.pollChat()
    await app.pollChat()
    expect((await app.promptsOf(trigger)).toSorted()).toEqual([
      `say <@${self.userId}> deep`,
      `say <@${self.userId}> top`,
    ])
  })

  test('a reply that was also sent to the channel fires once', async () => {
    const id = channel()
    const parent = say(id, 'parent')
    const trigger = await app.watch('chat', { event_type: 'bot_mention', channel_id: id })
    await app.pollChat()
    say(id, `<@${self.userId}> both`, { thread: parent, subtype: 'thread_broadcast' })
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual([`say <@${self.userId}> both`])
    expect(await app.fires(trigger)).toMatchObject([{ outcome: 'spawned', times: 1 }])
  })

  test('a reply in a thread that has moved out of the newest messages is found', async () => {
    const id = channel()
    const parent = say(id, 'old parent')
    say(id, 'a reply', { thread: parent })
    const trigger = await app.watch('chat', { event_type: 'bot_mention' }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    for (let number = 0; number < 60; number += 1) say(id, 'chatter')
    say(id, `<@${self.userId}> deep`, { thread: parent })
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual([`say <@${self.userId}> deep`])
  })

  test('a condition on one thread fires on its replies', async () => {
    const id = channel()
    const parent = say(id, 'parent')
    say(id, 'old reply', { thread: parent })
    const trigger = await app.watch('chat', { channel_id: id, thread_ts: parent }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    say(id, 'new reply', { thread: parent })
    say(id, 'top level')
    await app.pollChat()
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say new reply'])
  })

  test('the chat poller listens to the threads it has spoken in, and to channels it has posted in lately', async () => {
    const id = channel()
    const parent = say(id, 'parent')
    const other = say(id, 'another parent')
    app.chat.post(id, { user: self.userId, bot: self.botId, text: 'I am here', thread: parent })
    const condition = { allowed_user_ids: ['U1'] }
    const threads = await app.watch('chat', { event_type: 'passive_listen_thread', ...condition })
    const top = await app.watch('chat', { event_type: 'passive_listen_channel', ...condition })
    await app.pollChat()
    say(id, 'to you', { thread: parent })
    say(id, 'not to you', { thread: other })
    say(id, 'to the channel')
    await app.pollChat()
    expect(await app.promptsOf(threads)).toEqual(['say to you'])
    expect(await app.promptsOf(top)).toEqual([])
    app.chat.post(id, { user: self.userId, bot: self.botId, text: 'an announcement' })
    say(id, 'thank you')
    await app.pollChat()
    expect(await app.promptsOf(top)).toEqual(['say thank you'])
  })

  test('what was said while the trigger was disabled is lost, and not made up when it is enabled', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    await app.post(`/triggers/${trigger}/toggle`)
    say(id, 'unheard')
    await app.pollChat()
    await app.post(`/triggers/${trigger}/toggle`)
    await app.pollChat()
    say(id, 'heard')
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say heard'])
  })

  test('a thread that was deleted, or never was, does not keep its channel from being read', async () => {
    const id = channel()
    const [one, two] = [say(id, 'parent'), say(id, 'another')]
    await app.watch('chat', { channel_id: id, thread_ts: one })
    await app.watch('chat', { channel_id: id, thread_ts: 'no thread' })
    await app.watch('chat', { event_type: 'passive_listen', channel_id: id, allowed_user_ids: ['U1'] })
    await app.watch('chat', { event_type: 'bot_mention', channel_id: id })
    const trigger = await app.watch('chat', { channel_id: id }, { coalesce_window_seconds: 0 })
    await app.pollChat()
    say(id, 'a reply', { thread: two })
    say(id, 'a message')
    const isThread = (route: string) => route === 'conversations.replies'
    app.chat.next(isThread, ...Array(8).fill({ body: { ok: false, error: 'thread_not_found' } }))
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say a message'])
  })

  test('a channel that the platform refuses does not keep the others from being read', async () => {
    const [closed, open] = [channel({ isMember: false }), channel()]
    await app.watch('chat', { channel_id: closed })
    const trigger = await app.watch('chat', { channel_id: open })
    await app.pollChat()
    say(open, 'still read')
    await app.pollChat()
    expect(await app.promptsOf(trigger)).toEqual(['say still read'])
  })

  test('the chat poller keeps its cursors out of the configuration that the caller wrote', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id })
    await app.pollChat()
    expect((await app.show(trigger)).conditions).toMatchObject([
      { configuration: { event_type: 'new_message', channel_id: id } },
    ])
    const [condition] = (await app.show(trigger)).conditions as { configuration: object }[]
    expect(Object.keys(condition?.configuration ?? {}).toSorted()).toEqual(['channel_id', 'event_type'])
  })
})

test('a channel that the platform answers in an unknown form does not keep the others from being read', async () => {
  const [broken, open] = [channel(), channel()]
  const unread = await app.watch('chat', { channel_id: broken })
  const trigger = await app.watch('chat', { channel_id: open })
  await app.pollChat()
  await app.pool.query('update trigger_conditions set last_polled_at = null')
  say(open, 'still read')
  const isBroken = (route: string, input: Record<string, string>) =>
    route === 'conversations.history' && input.channel === broken
  app.chat.next(isBroken, { body: { ok: true, messages: [{ ts: 'yesterday' }] } })
  app.chat.next(isBroken, ...Array(3).fill({ body: { ok: true, messages: [{ ts: 'yesterday' }] } }))
  expect(await app.pollChat()).toBe('done')
  expect(await app.promptsOf(trigger)).toEqual(['say still read'])
  const polled = async (id: number) => ((await app.show(id)).conditions as { last_polled_at: string | null }[])[0]
  expect([await polled(unread), await polled(trigger)]).toMatchObject([
    { last_polled_at: null },
    { last_polled_at: expect.any(String) },
  ])
})

describe('a throttled chat platform', () => {
  test('a throttled chat platform postpones the poll for as long as it asks, and nothing is lost', async () => {
    const id = channel()
    const trigger = await app.watch('chat', { channel_id: id })
    await app.pollChat()
    say(id, 'late')
    app.chat.throttle('conversations.history', 200)
    expect(await app.pollChat()).toEqual({ againAfterMs: 200_000 })
    const before = app.chat.requests.length
    expect(await app.pollChat()).toMatchObject({ againAfterMs: expect.any(Number) })
    expect(app.chat.requests.length).toBe(before)
    await app.pool.query('update poller_states set not_before = now()')
    expect(await app.pollChat()).toBe('done')
    expect(await app.promptsOf(trigger)).toEqual(['say late'])
  })

  test('a throttled chat platform imposes at most ten minutes, and pauses of 30 to 480 s in a row; the sixth failure is reported', async () => {
    const id = channel()
    await app.watch('chat', { channel_id: id })
    await app.pollChat()
    const pauses: unknown[] = []
    for (const retryAfter of [5, 5, 5, 3600, 5]) {
      app.chat.throttle('conversations.history', retryAfter)
      pauses.push(await app.pollChat())
      await app.pool.query('update poller_states set not_before = now()')
    }
    expect(pauses).toEqual([30, 60, 120, 600, 480].map((seconds) => ({ againAfterMs: seconds * 1000 })))
    app.chat.throttle('conversations.history', 5)
    await expect(app.pollChat()).rejects.toThrow('ratelimited')
    await app.pool.query('update poller_states set not_before = now()')
    expect(await app.pollChat()).toBe('done')
  })
})

test('a poller without a condition asks the platform nothing', async () => {
  const before = app.chat.requests.length
  expect(await app.pollChat()).toBe('done')
  expect(app.chat.requests.length).toBe(before)
})
