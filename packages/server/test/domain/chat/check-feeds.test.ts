import { afterEach, expect, test } from 'vitest'
import { checkFeeds } from '../../../src/domain/chat/check-feeds.ts'
import { platformApp } from '../../support/remote/platform-app.ts'

const app = await platformApp()
let channels = 0
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** A channel that a condition has followed for an hour. */
async function followed(about?: Parameters<typeof app.chat.addChannel>[2]) {
  channels += 1
  const channel = `C0${channels}`
  app.chat.addChannel(channel, `feed-${channels}`, about)
  const trigger = await app.watch('chat', { channel_id: channel })
  await app.pool.query(
    "update trigger_conditions set armed_at = date_trunc('second', now()) - interval '1 hour' where trigger_id = $1",
    [trigger],
  )
  return { channel, trigger }
}
const check = () => checkFeeds.perform({}, app.host.app)

afterEach(() => app.pool.query('delete from triggers'))

test('the hourly check reports a trigger whose channel has messages that no poll has read', async () => {
  const { channel, trigger } = await followed()
  await app.pollChat()
  app.chat.post(channel, { user: 'U1', text: 'unread', at: minutesAgo(20) })
  await check()
  await check()
  expect(await app.fires(trigger)).toMatchObject([
    {
      outcome: 'failed',
      times: 2,
      reason: expect.stringContaining(`Channel ${channel} is not heard: no poll has read`),
    },
  ])
  expect(await app.show(trigger)).toMatchObject({ status: 'enabled', sessions_created_count: 0 })
})

test('the hourly check reports a trigger whose channel the platform does not show any more', async () => {
  const { channel, trigger } = await followed({ isMember: false })
  await check()
  expect(await app.fires(trigger)).toMatchObject([{ reason: `Channel ${channel} is not heard: not_in_channel.` }])
})

test('the hourly check reports a trigger that no poll has reached since it was armed', async () => {
  const { channel, trigger } = await followed()
  await check()
  expect(await app.fires(trigger)).toMatchObject([
    { reason: `Channel ${channel} is not heard: no poll has reached it.` },
  ])
})

test('the hourly check is silent about channels that were read, quiet ones, new messages and young triggers', async () => {
  const [read, quiet] = [await followed(), await followed()]
  app.chat.post(read.channel, { user: 'U1', text: 'read', at: minutesAgo(20) })
  await app.pollChat()
  app.chat.post(read.channel, { user: 'U1', text: 'of this minute' })
  const young = await app.watch('chat', { channel_id: read.channel })
  const everywhere = await app.watch('chat', { event_type: 'bot_mention' })
  await check()
  for (const trigger of [read.trigger, quiet.trigger, young, everywhere]) expect(await app.fires(trigger)).toEqual([])
})

test('the hourly check asks about a channel once, however many triggers follow it', async () => {
  const { channel } = await followed()
  await app.watch('chat', { channel_id: channel })
  await app.pool.query("update trigger_conditions set armed_at = now() - interval '1 hour'")
  const before = app.chat.requests.length
  await check()
  expect(app.chat.requests.slice(before).map(({ route }) => route)).toEqual(['conversations.history'])
})
