import { createHmac } from 'node:crypto'
import { type Received, type RemoteServer, type Reply, remoteServer } from './remote-server.ts'

type Message = { ts: string; thread_ts?: string; text: string; user?: string; bot_id?: string; subtype?: string }
type Posting = { user?: string; bot?: string; text: string; thread?: string; subtype?: string; at?: Date }

/** Stands in for the chat platform: its wire format, paging cursors, throttling and errors. */
export type ChatServer = RemoteServer & {
  /** The environment of a host that uses it. */
  environment: Record<string, string>
  addChannel(id: string, name: string, about?: { isPrivate?: boolean; isMember?: boolean }): void
  /** Stores a message and returns its timestamp. */
  post(channel: string, posting: Posting): string
  /** The event that the platform sends about a stored message. */
  eventOf(channel: string, ts: string, about?: { type?: 'message' | 'app_mention'; eventId?: string }): object
  throttle(method: string, retryAfterSeconds: number, times?: number): void
  failWith(method: string, error: string, times?: number): void
}

export const chatSecret = 'a-signing-secret-of-the-tests'
export const self = { userId: 'U0SELF', botId: 'B0SELF' }
const token = 'xoxb-a-token-of-the-tests'

/** Small, so that a few messages make several pages. */
const maxPage = 50

export async function startChatServer(): Promise<ChatServer> {
  const channels = new Map<string, { id: string; name: string; is_private: boolean; is_member: boolean }>()
  const messages = new Map<string, Message[]>()
  let clock = 0
  let events = 0

  /** Later than every timestamp before it, as on the platform. */
  const nextTs = (at = new Date()): string => {
    clock = Math.max(clock + 1, at.getTime() * 1000)
    return `${Math.floor(clock / 1_000_000)}.${String(clock % 1_000_000).padStart(6, '0')}`
  }
  const of = (channel: string): Message[] => messages.get(channel) ?? []
  const shown = (channel: string, message: Message): object => {
    const replies = of(channel).filter(({ ts, thread_ts }) => thread_ts === message.ts && ts !== message.ts)
    const last = replies.at(-1)
    return last
      ? { type: 'message', ...message, thread_ts: message.ts, reply_count: replies.length, latest_reply: last.ts }
      : { type: 'message', ...message }
  }
  const isAfter = ({ ts }: Message, oldest: string | undefined): boolean =>
    oldest === undefined || Number(ts) > Number(oldest)

  /** A reply may also be sent to the channel. */
  const isAtTop = ({ thread_ts, subtype }: Message): boolean =>
    thread_ts === undefined || subtype === 'thread_broadcast'

  const isBefore = ({ ts }: Message, latest: string | undefined): boolean =>
    latest === undefined || Number(ts) < Number(latest)

  const methods: Record<string, (input: Record<string, string>) => Reply> = {
    'auth.test': () =>
      ok({ url: 'https://acme.chat.test/', team: 'Acme', user: 'yard', user_id: self.userId, bot_id: self.botId }),
    'conversations.list': (input) =>
      page(
        input,
        [...channels.values()].filter(({ id }) => id.startsWith('C')),
        (found) => ({
          channels: found.map(({ is_member, ...each }) => ({
            ...each,
            is_member,
            num_members: 3,
            topic: { value: '' },
          })),
        }),
      ),
    'users.conversations': (input) =>
      page(
        input,
        [...channels.values()].filter(({ is_member }) => is_member),
        (found) => ({ channels: found }),
      ),
    'conversations.info': ({ channel = '' }) => {
      const found = channels.get(channel)
      return found ? ok({ channel: found }) : notOk('channel_not_found')
    },
    'users.info': ({ user = '' }) =>
      user.startsWith('U')
        ? ok({ user: { id: user, name: user.toLowerCase(), profile: { display_name: `Person ${user}` } } })
        : notOk('user_not_found'),
    'conversations.history': (input) => {
      const { channel = '', oldest, latest } = input
      if (!channels.get(channel)?.is_member) return notOk('not_in_channel')
      const top = of(channel).filter((each) => isAtTop(each) && isAfter(each, oldest) && isBefore(each, latest))
      return page(input, top.toReversed(), (found) => ({ messages: found.map((each) => shown(channel, each)) }))
    },
    'conversations.replies': (input) => {
      const { channel = '', ts = '', oldest } = input
      const parent = of(channel).find((each) => each.ts === ts)
      if (!parent) return notOk('thread_not_found')
      const replies = of(channel).filter((each) => each.thread_ts === ts && isAfter(each, oldest))
      return page(input, replies, (found) => ({
        messages: [parent, ...found].map((each) => shown(channel, each)),
      }))
    },
  }
  const answer = ({ route, headers, input }: Received): Reply => {
    if (headers.authorization !== `Bearer ${token}`) return notOk('invalid_auth')
    return methods[route]?.(input) ?? notOk('unknown_method')
  }
  const remote = await remoteServer(({ url = '' }) => url.split('/').at(-1)?.split('?')[0] ?? '', answer)
  const times = <T>(count: number, reply: T): T[] => Array.from({ length: count }, () => reply)
  return {
    ...remote,
    environment: { CHAT_TOKEN: token, CHAT_SIGNING_SECRET: chatSecret, CHAT_API_URL: `${remote.url}/api/` },
    addChannel: (id, name, { isPrivate = false, isMember = true } = {}) => {
      channels.set(id, { id, name, is_private: isPrivate, is_member: isMember })
      messages.set(id, [])
    },
    post: (channel, { user, bot, text, thread, subtype, at }) => {
      const ts = nextTs(at)
      messages.get(channel)?.push({
        ts,
        text,
        ...(user !== undefined && { user }),
        ...(bot !== undefined && { bot_id: bot }),
        ...(thread !== undefined && { thread_ts: thread }),
        ...(subtype !== undefined && { subtype }),
      })
      return ts
    },
    eventOf: (channel, ts, { type = 'message', eventId } = {}) => {
      events += 1
      const { subtype, ...message } = of(channel).find((each) => each.ts === ts) ?? { ts, text: '' }
      return {
        token: 'deprecated',
        team_id: 'T0TEAM',
        api_app_id: 'A0APP',
        type: 'event_callback',
        event_id: eventId ?? `Ev${String(events).padStart(8, '0')}`,
        event_time: Math.floor(Number(ts)),
        event: { type, ...(subtype !== undefined && { subtype }), channel, event_ts: ts, ...message },
      }
    },
    throttle: (method, retryAfterSeconds, count = 1) =>
      remote.next(
        (route) => route === method,
        ...times(count, {
          status: 429,
          headers: { 'retry-after': String(retryAfterSeconds) },
          body: { ok: false, error: 'ratelimited' },
        }),
      ),
    failWith: (method, error, count = 1) => remote.next((route) => route === method, ...times(count, notOk(error))),
  }
}

/** The headers of a webhook that the platform signs. */
export function signedByChat(body: string, about: { secret?: string; at?: Date } = {}): Record<string, string> {
  const { secret = chatSecret, at = new Date() } = about
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  }
}

function ok(body: object): Reply {
  return { body: { ok: true, ...body } }
}

function notOk(error: string): Reply {
  return { body: { ok: false, error } }
}

function page<Item>(input: Record<string, string>, all: readonly Item[], show: (found: Item[]) => object): Reply {
  const from = input.cursor ? Number(Buffer.from(input.cursor, 'base64').toString()) : 0
  if (Number.isNaN(from)) return notOk('invalid_cursor')
  const to = from + Math.min(Number(input.limit ?? 100), maxPage)
  const next = to < all.length ? Buffer.from(String(to)).toString('base64') : ''
  return ok({ ...show(all.slice(from, to)), has_more: next !== '', response_metadata: { next_cursor: next } })
}
