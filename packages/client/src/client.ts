import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import type { Operation } from '@yardmaster/contract/operations'
import type { WebOperation } from '@yardmaster/contract/web-operations'
import { addresses } from './addresses.ts'
import { defaultSilenceMs, type EventOptions, followEvents } from './events.ts'
import type { CallOptions, Operations } from './operation-types.ts'
import { type Connection, send } from './send.ts'
import { webAddresses } from './web-addresses.ts'

export { Problem } from './problem.ts'

export type ClientOptions = {
  /** Where Yardmaster is: `http://127.0.0.1:3000`. */
  url: string
  key?: string
  fetch?: typeof fetch
  /** Attempts of an idempotent call in all, and the longest wait between two of them. */
  retry?: { attempts: number; maxWaitMs: number }
  /** How long the event stream may be silent before the client reconnects. */
  silenceMs?: number
}

/** Every operation of the API as `client.<resource>.<verb>(input)`, and the event stream. */
export type Client = Operations<Operation> & {
  events(options?: EventOptions): AsyncGenerator<StreamedEvent, void, undefined>
}

export function createClient(options: ClientOptions): Client {
  return connect(options, addresses) as Client
}

/** What only people can do, in a browser: as `Client`, for the operations of `/web`. */
export type WebClient = Operations<Operation | WebOperation> & Pick<Client, 'events'>

export type WebClientOptions = Omit<ClientOptions, 'key'> & {
  /** Below which the browser sends the cookie of its sign-in: `/web/~<secret>`. Asked for with every request. */
  privatePath(): string
}

/** For a page of the dashboard: every operation at `/web`, with the cookie of the browser instead of a key. */
export function createWebClient({ privatePath, ...options }: WebClientOptions): WebClient {
  const place = (path: string) => path.replace(/^\/(api|web)/, privatePath)
  return connect({ ...options, place }, { ...addresses, ...webAddresses }) as WebClient
}

type Connecting = ClientOptions & Partial<Pick<Connection, 'place'>>

function connect(options: Connecting, table: Readonly<Record<string, string>>): object {
  const { url, key, retry = { attempts: 3, maxWaitMs: 30_000 }, silenceMs = defaultSilenceMs } = options
  // Called as a plain function: browsers refuse to call `fetch` as a method of another object.
  const connection: Connection = {
    url: url.replace(/\/+$/, ''),
    key,
    fetch: options.fetch ?? fetch.bind(globalThis),
    retry,
    place: options.place ?? ((path) => path),
  }
  const resources: Record<string, object> = {}
  for (const [name, address] of Object.entries(table)) {
    const [resource = '', verb = ''] = name.split('.')
    const call = (input: Input = {}, { signal }: CallOptions = {}) =>
      send(connection, { ...callOf(address, input), signal })
    resources[resource] = { ...resources[resource], [verb]: call }
  }
  // The types are made from the declarations, which a test compares with the tables of addresses.
  return { ...resources, events: (given: EventOptions = {}) => followEvents(connection, given, silenceMs) }
}

type Input = Readonly<Record<string, unknown>>

/** Puts each key of the input where the operation expects it. */
function callOf(address: string, input: Input) {
  const [method = '', template = ''] = address.split(' ')
  const rest: Record<string, unknown> = { ...input }
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    delete rest[key]
    return encodeURIComponent(String(input[key]))
  })
  const hasQuery = method === 'GET' || method === 'DELETE'
  return {
    method,
    path: (/^\/(api|web)\//.test(path) ? path : `/api/v1${path}`) + (hasQuery ? queryOf(rest) : ''),
    body: hasQuery || Object.keys(rest).length === 0 ? undefined : rest,
    isIdempotent: method === 'GET' || Boolean(input.idempotency_key),
  }
}

function queryOf(values: Input): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) query.set(key, String(value))
  }
  return query.size > 0 ? `?${query}` : ''
}
