import { describe, expect, test } from 'vitest'
import { type ChatCondition, matchMessage, type Surroundings } from '../../../src/domain/chat/match-message.ts'
import type { ChatMessage } from '../../../src/platform/chat/message.ts'

const self = { userId: 'U0SELF', botId: 'B0SELF' }
const mention = `<@${self.userId}> look`

function message(more: Partial<ChatMessage> = {}): ChatMessage {
  const plain = { channel: 'C1', ts: '1700000000.000100', threadTs: undefined, text: 'hello', userId: 'U1' }
  const rest = { botId: undefined, subtype: undefined, isDirect: false }
  return { ...plain, ...rest, ...more }
}

const direct = (more: Partial<ChatMessage> = {}) => message({ channel: 'D1', isDirect: true, ...more })
const reply = (more: Partial<ChatMessage> = {}) => message({ threadTs: '1600000000.000100', ...more })

type Configuration = ChatCondition['configuration']

/** The numbers of the conditions that the message fires, counted from 1. */
async function fired(sent: ChatMessage, configurations: Configuration[], around: Partial<Surroundings> = {}) {
  const conditions = configurations.map(
    (configuration, index) => ({ id: index + 1, trigger_id: index + 1, configuration }) as ChatCondition, // the rest is not read
  )
  const matched = await matchMessage(sent, conditions, {
    self,
    allowedUserIds: [],
    hasSpokenInThread: async () => true,
    hasPostedLately: async () => true,
    ...around,
  })
  return matched.map(({ id }) => id)
}

describe('a condition for new messages', () => {
  const inC1: Configuration = { event_type: 'new_message', channel_id: 'C1' }

  test.each<[string, ChatMessage, boolean]>([
    ['a top-level message of its channel', message(), true],
    ['a message of another app', message({ userId: undefined, botId: 'B9', subtype: 'bot_message' }), true],
    ['a message with a file', message({ subtype: 'file_share' }), true],
    ['a mention', message({ text: mention }), true],
    ['a message of another channel', message({ channel: 'C2' }), false],
    ['a reply in a thread', reply(), false],
    ['a message of the service itself', message({ userId: self.userId }), false],
    ['a message of the service as an app', message({ userId: undefined, botId: self.botId }), false],
    ['a notice that someone joined', message({ subtype: 'channel_join' }), false],
  ])('a condition for new messages is decided for %s', async (_about, sent, fires) => {
    expect(await fired(sent, [inC1])).toEqual(fires ? [1] : [])
  })

  test('a condition for new messages with a thread fires on replies of that thread only', async () => {
    const inThread: Configuration = { ...inC1, thread_ts: '1600000000.000100' }
    expect(await fired(reply(), [inThread])).toEqual([1])
    expect(await fired(reply({ threadTs: '1600000000.000999' }), [inThread])).toEqual([])
    expect(await fired(message(), [inThread])).toEqual([])
  })

  test('a condition for new messages with a list of people fires for them only, apps included', async () => {
    const listed: Configuration = { ...inC1, allowed_user_ids: ['U2'] }
    expect(await fired(message(), [listed])).toEqual([])
    expect(await fired(message({ userId: 'U2' }), [listed])).toEqual([1])
    expect(await fired(message({ userId: undefined, botId: 'B9' }), [listed])).toEqual([])
  })

  test('a condition for new messages without a list follows the deployment list for people, and takes messages of apps', async () => {
    const around = { allowedUserIds: ['U2'] }
    expect(await fired(message(), [inC1], around)).toEqual([])
    expect(await fired(message({ userId: undefined, botId: 'B9' }), [inC1], around)).toEqual([1])
  })
})

describe('a condition for mentions', () => {
  const anywhere: Configuration = { event_type: 'bot_mention' }
  const inC1: Configuration = { event_type: 'bot_mention', channel_id: 'C1' }

  test.each<[string, ChatMessage, Configuration, boolean]>([
    ['a mention in any channel', message({ channel: 'C7', text: mention }), anywhere, true],
    ['a mention with a label', message({ text: `<@${self.userId}|yard> go` }), anywhere, true],
    ['a mention in a thread', reply({ text: mention }), anywhere, true],
    ['a mention in its channel', message({ text: mention }), inC1, true],
    ['a mention in another channel', message({ channel: 'C2', text: mention }), inC1, false],
    ['a message without a mention', message(), anywhere, false],
    ['a mention of someone else', message({ text: '<@U0SELFISH> look' }), anywhere, false],
    ['a mention without an author', message({ userId: undefined, botId: 'B9', text: mention }), anywhere, false],
    ['its own mention', message({ userId: self.userId, text: mention }), anywhere, false],
  ])('a condition for mentions is decided for %s', async (_about, sent, configuration, fires) => {
    expect(await fired(sent, [configuration])).toEqual(fires ? [1] : [])
  })

  test('a condition for mentions may be bound to one thread', async () => {
    const inThread: Configuration = { ...inC1, thread_ts: '1600000000.000100' }
    expect(await fired(reply({ text: mention }), [inThread])).toEqual([1])
    expect(await fired(message({ text: mention }), [inThread])).toEqual([])
  })

  test('a condition for mentions takes direct messages of people who are allowed by name, and of no one else', async () => {
    expect(await fired(direct(), [anywhere])).toEqual([])
    expect(await fired(direct(), [{ ...anywhere, allowed_user_ids: ['U1'] }])).toEqual([1])
    expect(await fired(direct(), [anywhere], { allowedUserIds: ['U1'] })).toEqual([1])
  })

  test('a condition for mentions refuses authors outside of its list, which replaces the deployment list', async () => {
    const listed: Configuration = { ...anywhere, allowed_user_ids: ['U2'] }
    expect(await fired(message({ text: mention }), [listed], { allowedUserIds: ['U1'] })).toEqual([])
    expect(await fired(message({ userId: 'U2', text: mention }), [listed], { allowedUserIds: ['U1'] })).toEqual([1])
  })
})

test('a condition for direct messages is closed to everyone until people are named', async () => {
  const dm: Configuration = { event_type: 'dm_message' }
  expect(await fired(direct(), [dm])).toEqual([])
  expect(await fired(direct(), [{ ...dm, allowed_user_ids: ['U1'] }])).toEqual([1])
  expect(await fired(direct(), [dm], { allowedUserIds: ['U1'] })).toEqual([1])
  expect(await fired(message(), [{ ...dm, allowed_user_ids: ['U1'] }])).toEqual([])
})

describe('a passive condition', () => {
  const allowed_user_ids = ['U1']
  const inThreads: Configuration = { event_type: 'passive_listen_thread', allowed_user_ids }
  const inChannels: Configuration = { event_type: 'passive_listen_channel', allowed_user_ids }
  const both: Configuration = { event_type: 'passive_listen', allowed_user_ids }
  const all = [inThreads, inChannels, both]

  test.each<[string, ChatMessage, number[]]>([
    ['a reply', reply(), [1, 3]],
    ['a top-level message', message(), [2, 3]],
    ['a direct message', direct(), []],
    ['a message of an app', message({ botId: 'B9' }), []],
    ['a topic change', message({ subtype: 'channel_topic' }), []],
    ['a message of someone who is not on the list', message({ userId: 'U2' }), []],
    ['a message of the service itself', reply({ userId: self.userId }), []],
  ])('a passive condition is decided for %s', async (_about, sent, numbers) => {
    expect(await fired(sent, all)).toEqual(numbers)
  })

  test('a passive condition fires only where the service has taken part', async () => {
    const silent = { hasSpokenInThread: async () => false, hasPostedLately: async () => false }
    expect(await fired(reply(), all, silent)).toEqual([])
    expect(await fired(message(), all, silent)).toEqual([])
  })

  test('a passive condition is closed to everyone until people are named', async () => {
    expect(await fired(reply(), [{ event_type: 'passive_listen' }])).toEqual([])
  })

  test('a passive condition leaves a mention to a condition for mentions, and takes it when no such condition does', async () => {
    const sent = reply({ text: mention })
    expect(await fired(sent, [inThreads, { event_type: 'bot_mention' }])).toEqual([2])
    expect(await fired(sent, [inThreads])).toEqual([1])
    expect(await fired(sent, [inThreads, { event_type: 'bot_mention', channel_id: 'C2' }])).toEqual([1])
    expect(await fired(sent, [inThreads, { event_type: 'bot_mention', allowed_user_ids: ['U2'] }])).toEqual([1])
  })
})
