import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChat } from '../../../src/platform/chat/chat.ts'
import { compareTs } from '../../../src/platform/chat/message.ts'
import { RemoteFailed } from '../../../src/platform/remote-failed.ts'
import { type ChatServer, startChatServer } from '../../support/remote/chat-server.ts'

let server: ChatServer
beforeAll(async () => {
  server = await startChatServer()
  for (let number = 1; number <= 120; number += 1) server.addChannel(`C${number}`, `room-${number}`)
})
afterAll(() => server.close())

function client({ token = server.environment.CHAT_TOKEN ?? '' } = {}) {
  return openChat({ token, apiUrl: `${server.url}/api`, retryDelaysMs: [1, 2, 4] })
}
const never = new AbortController().signal

describe('the chat client', () => {
  test('the chat client reads every page of the channel list', async () => {
    const before = server.requests.length
    const channels = await client().channels()
    expect(channels).toHaveLength(120)
    expect(channels[0]).toEqual({ id: 'C1', name: 'room-1', is_private: false, num_members: 3 })
    expect(server.requests.slice(before).map(({ input }) => input.cursor !== undefined)).toEqual([false, true, true])
  })

  test('the chat client reads a history of several pages and stops at the limit of pages', async () => {
    for (let number = 0; number < 120; number += 1) server.post('C2', { user: 'U1', text: `m${number}` })
    expect(await client().history('C2', { oldest: '0', maxPages: 10 })).toHaveLength(120)
    expect((await client().history('C2', { maxPages: 1 })).map(({ text }) => text)[0]).toBe('m119')
    expect(await client().history('C2', { maxPages: 1 })).toHaveLength(50)
  })

  test('the chat client returns the replies of a thread of several pages in order, and its first message once', async () => {
    const thread = server.post('C3', { user: 'U1', text: 'parent' })
    for (let number = 0; number < 60; number += 1) server.post('C3', { user: 'U1', text: `r${number}`, thread })
    const { parent, replies } = await client().thread('C3', thread, { oldest: thread, maxPages: 5 })
    expect(parent?.text).toBe('parent')
    expect(replies.map(({ text }) => text)).toEqual(Array.from({ length: 60 }, (_, number) => `r${number}`))
    expect(replies[0]?.threadTs).toBe(thread)
  })

  test('the chat client reports a refusal in the words of the platform', async () => {
    await expect(client({ token: 'xoxb-wrong' }).channels()).rejects.toMatchObject({
      kind: 'refused',
      message: 'invalid_auth',
    })
  })

  test('a short throttle is waited for by patient calls, and reported at once by the others', async () => {
    server.throttle('auth.test', 1)
    await expect(client().self()).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 1 })
    server.throttle('auth.test', 1, 3)
    expect(await client().patient(never).self()).toMatchObject({ userId: 'U0SELF' })
  })

  test('a long throttle is reported with the delay that the platform asked for, without a retry', async () => {
    server.throttle('auth.test', 90)
    const before = server.requests.length
    await expect(client().patient(never).self()).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 90 })
    expect(server.requests.length - before).toBe(1)
  })

  test('patient calls retry a cut connection three times and then fail', async () => {
    server.next((route) => route === 'auth.test', 'cut', 'cut', 'cut')
    expect(await client().patient(never).self()).toMatchObject({ userId: 'U0SELF' })
    server.next((route) => route === 'auth.test', 'cut', 'cut', 'cut', 'cut')
    await expect(client().patient(never).self()).rejects.toBeInstanceOf(RemoteFailed)
  })

  test('an answer of another shape is a failure of the platform, not a fault of ours', async () => {
    server.next(() => true, { body: { ok: true, messages: [{ ts: 'yesterday' }] } })
    await expect(client().history('C2', { maxPages: 1 })).rejects.toBeInstanceOf(RemoteFailed)
  })

  test.each([
    ['a page of HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' }],
    ['a redirect', { status: 307, headers: { location: '/api/auth.test' }, body: {} }],
    ['an answer that never ends', 'endless'],
    ['an answer that drips', 'drip'],
  ] as const)('the chat client reports %s as a failure of the platform', async (_about, reply) => {
    server.next((route) => route === 'auth.test', reply)
    const chat = openChat({ token: server.environment.CHAT_TOKEN ?? '', apiUrl: `${server.url}/api`, timeoutMs: 1000 })
    await expect(chat.self()).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test.each([
    ['a billion seconds', '1000000000', 1_000_000_000],
    ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 1],
    ['no number', 'soon', 60],
  ])('the chat client reads a delay given as %s', async (_about, delay, seconds) => {
    server.next((route) => route === 'auth.test', {
      status: 429,
      headers: { 'retry-after': delay },
      body: { ok: false },
    })
    await expect(client().self()).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: seconds })
  })

  test('the chat client stops after 50 pages of a list that never ends', async () => {
    const page = { ok: true, channels: [{ id: 'C1', name: 'again' }], response_metadata: { next_cursor: 'again' } }
    server.next((route) => route === 'conversations.list', ...Array(60).fill({ body: page }))
    expect(await client().channels()).toHaveLength(50)
  })

  test('names of people and channels are asked for once', async () => {
    const chat = client()
    expect([await chat.userName('U7'), await chat.userName('U7')]).toEqual(['Person U7', 'Person U7'])
    expect(await chat.channelName('C9')).toBe('room-9')
    expect(server.requests.filter(({ input }) => input.user === 'U7')).toHaveLength(1)
  })
})

test('timestamps compare by every digit', () => {
  expect(compareTs('1700000000.000100', '1700000000.000099')).toBeGreaterThan(0)
  expect(compareTs('1700000000.1', '1700000000.100000')).toBe(0)
  expect(compareTs('999999999.999999', '1700000000.000000')).toBeLessThan(0)
})
