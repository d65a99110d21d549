import type { WebClient } from '@slack/web-api'
import { z } from 'zod'
import { boundedFetch } from '../bounded-fetch.ts'
import { RemoteFailed } from '../remote-failed.ts'
import { storable } from '../storable-text.ts'
import { withRetries } from '../with-retries.ts'
import { ChannelId, type ChatMessage, readMessage, WireMessage } from './message.ts'

export type ChatChannel = { id: string; name: string; is_private: boolean; num_members: number }

/** A message of a list, with what its channel shows of its thread. */
export type ListedMessage = ChatMessage & { latestReply: string | undefined }

export type Thread = { parent: ChatMessage | undefined; replies: ChatMessage[] }

/** The chat platform as we use it. Each call is one request, or one for each page. */
export type Chat = {
  /** Our own account there. */
  self(): Promise<{ userId: string; botId: string | undefined; url: string }>
  /** Every channel that we can see, by name. */
  channels(): Promise<ChatChannel[]>
  /** The channels and direct conversations that we are in. */
  conversations(): Promise<string[]>
  /** Newest first, `maxPages` of 50: those after `oldest` and before `latest`. */
  history(channel: string, about: { oldest?: string; latest?: string; maxPages: number }): Promise<ListedMessage[]>
  /** The replies of a thread after `oldest`, in order, and its first message. */
  thread(channel: string, ts: string, about: { oldest: string; maxPages: number }): Promise<Thread>
  /** Undefined for a direct conversation, which has none. */
  channelName(channel: string): Promise<string | undefined>
  userName(userId: string): Promise<string>
}

export type ChatClient = Chat & {
  /** The same with retries after 1, 2 and 4 s, for work that no caller waits for. */
  patient(signal: AbortSignal): Chat
}

export type ChatOptions = { token: string; apiUrl: string; retryDelaysMs?: readonly number[]; timeoutMs?: number }

const requestTimeoutMs = 15_000
const pageSize = 50
const listPageSize = 200
const maxListPages = 50
const defaultDelaysMs = [1000, 2000, 4000]

/** The vendor's client is loaded by the first call. */
export function openChat(options: ChatOptions): ChatClient {
  const { retryDelaysMs = defaultDelaysMs } = options
  let client: Promise<WebClient> | undefined
  const call: Call = async (method, input, schema) => {
    client ??= openClient(options)
    const answer = await (await client).apiCall(method, input).catch((error: unknown) => {
      throw asRemoteFailure(error)
    })
    const parsed = schema.safeParse(answer)
    if (!parsed.success)
      throw new RemoteFailed('unreachable', `the chat platform answered ${method} in an unknown form`)
    return parsed.data
  }
  const memory: Memory = { self: new Map(), channels: new Map(), users: new Map() }
  return {
    ...chatOver(call, memory),
    patient: (signal) =>
      chatOver(
        (method, input, schema) =>
          withRetries(() => call(method, input, schema), { delaysMs: retryDelaysMs, isWorthIt, signal }),
        memory,
      ),
  }
}

type Call = <T>(method: string, input: Record<string, unknown>, schema: z.ZodType<T>) => Promise<T>

async function openClient({ token, apiUrl, timeoutMs = requestTimeoutMs }: ChatOptions): Promise<WebClient> {
  const { WebClient, LogLevel } = await import('@slack/web-api')
  return new WebClient(token, {
    slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`,
    allowAbsoluteUrls: false,
    fetch: boundedFetch,
    timeout: timeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    logger: silentLogger(LogLevel.ERROR),
  })
}

/** Failures are thrown; a second report on standard output helps no one. */
function silentLogger<Level>(level: Level) {
  const nothing = (): void => undefined
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    setLevel: nothing,
    setName: nothing,
    getLevel: () => level,
  }
}

/** A short throttle is waited for here; a longer one postpones the whole poll. */
const shortThrottleSeconds = 4

function isWorthIt(error: unknown): boolean {
  if (!(error instanceof RemoteFailed)) return false
  return error.kind === 'throttled'
    ? (error.retryAfterSeconds ?? 0) <= shortThrottleSeconds
    : error.kind === 'unreachable'
}

/** By the codes of the vendor's client, so that its module is not needed to read them. */
function asRemoteFailure(error: unknown): RemoteFailed {
  const { code, message, data, retryAfter, statusCode } = Object(error)
  if (code === 'slack_webapi_rate_limited_error')
    return new RemoteFailed('throttled', `ratelimited (retry after ${retryAfter} s)`, {
      retryAfterSeconds: Number(retryAfter),
    })
  if (code === 'slack_webapi_platform_error') return new RemoteFailed('refused', String(data?.error ?? message))
  if (code === 'slack_webapi_http_error') return new RemoteFailed('unreachable', `HTTP ${statusCode}`)
  return new RemoteFailed('unreachable', String(message), { cause: error })
}

type Self = Awaited<ReturnType<Chat['self']>>

/** Answers that do not change while a host runs, or that are only for reading. */
type Memory = {
  self: Map<string, Promise<Self>>
  channels: Map<string, Promise<string | undefined>>
  users: Map<string, Promise<string>>
}

function chatOver(call: Call, memory: Memory): Chat {
  const self = remembered(memory.self, async () => {
    const { user_id: userId, bot_id: botId, url } = await call('auth.test', {}, Identity)
    return { userId, botId, url }
  })
  const channelNames = remembered(memory.channels, (channel) =>
    call('conversations.info', { channel }, ChannelInfo).then(({ channel: { name } }) => name),
  )
  const userNames = remembered(memory.users, (user) =>
    call('users.info', { user }, UserInfo).then(({ user: { name, real_name, profile } }) => {
      return profile?.display_name || real_name || profile?.real_name || name
    }),
  )
  return {
    self: () => self('self'),
    channels: async () => {
      const input = { types: 'public_channel,private_channel', exclude_archived: true, limit: listPageSize }
      const found = await pages(call, 'conversations.list', input, { schema: ChannelPage, maxPages: maxListPages })
      return found.flatMap(({ channels }) => channels).toSorted((one, other) => one.name.localeCompare(other.name))
    },
    conversations: async () => {
      const input = { types: 'public_channel,private_channel,im', exclude_archived: true, limit: listPageSize }
      const found = await pages(call, 'users.conversations', input, {
        schema: ConversationPage,
        maxPages: maxListPages,
      })
      return found.flatMap(({ channels }) => channels.map(({ id }) => id))
    },
    history: async (channel, { oldest, latest, maxPages }) => {
      const range = { ...(oldest !== undefined && { oldest }), ...(latest !== undefined && { latest }) }
      const input = { channel, limit: pageSize, ...range }
      const found = await pages(call, 'conversations.history', input, { schema: MessagePage, maxPages })
      return found
        .flatMap(({ messages }) => messages)
        .map((wire) => ({ ...readMessage(channel, wire), latestReply: wire.latest_reply }))
    },
    thread: async (channel, ts, { oldest, maxPages }) => {
      const input = { channel, ts, oldest, limit: listPageSize }
      const found = await pages(call, 'conversations.replies', input, { schema: MessagePage, maxPages })
      // The platform repeats the first message of the thread on every page.
      const messages = found.flatMap((page) => page.messages).map((wire) => readMessage(channel, wire))
      return {
        parent: messages.find((message) => message.ts === ts),
        replies: messages.filter((message) => message.ts !== ts),
      }
    },
    channelName: channelNames,
    userName: userNames,
  }
}

type Paged = { response_metadata?: { next_cursor?: string | undefined } | undefined }

async function pages<T extends Paged>(
  call: Call,
  method: string,
  input: Record<string, unknown>,
  { schema, maxPages }: { schema: z.ZodType<T>; maxPages: number },
): Promise<T[]> {
  const found: T[] = []
  let cursor = ''
  while (found.length < maxPages) {
    const page = await call(method, { ...input, ...(cursor !== '' && { cursor }) }, schema)
    found.push(page)
    cursor = page.response_metadata?.next_cursor ?? ''
    if (cursor === '') break
  }
  return found
}

const maxRemembered = 2000

/** The answers of `find` by key. Evicts the oldest beyond 2,000; a failure is not remembered. */
function remembered<T>(
  answers: Map<string, Promise<T>>,
  find: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  return (key) => {
    const known = answers.get(key)
    if (known) return known
    const answer = find(key)
    answers.set(key, answer)
    answer.catch(() => answers.delete(key))
    for (const oldest of answers.keys()) {
      if (answers.size <= maxRemembered) break
      answers.delete(oldest)
    }
    return answer
  }
}

const paged = { response_metadata: z.object({ next_cursor: z.string().optional() }).optional() }

const Identity = z.object({ user_id: z.string(), bot_id: z.string().optional(), url: z.string().default('') })
const Name = z.string().transform(storable)
const ChannelInfo = z.object({ channel: z.object({ name: Name.optional() }) })
const UserInfo = z.object({
  user: z.object({
    name: Name,
    real_name: Name.optional(),
    profile: z.object({ display_name: Name.optional(), real_name: Name.optional() }).optional(),
  }),
})
const ChannelPage = z.object({
  channels: z.array(
    z
      .object({
        id: ChannelId,
        name: Name,
        is_private: z.boolean().default(false),
        num_members: z.int().default(0),
      })
      .strip(),
  ),
  ...paged,
})
const ConversationPage = z.object({ channels: z.array(z.object({ id: ChannelId })), ...paged })
const MessagePage = z.object({ messages: z.array(WireMessage), ...paged })
