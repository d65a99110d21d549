import { addresses } from '@yardmaster/client/addresses'
import { createClient, Problem } from '@yardmaster/client/client'
import { apiPrefix, wholePath } from '@yardmaster/contract/address'
import { recordOperation } from './operation-coverage.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came back
export type Answer = { status: number; body: any; headers: Headers }

export type ApiCalls = {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** A request as it is; the caller sets the key and everything else. */
  send(path: string, init?: RequestInit): Promise<Response>
}

/**
 * Calls by address that return status and body. A call that names an operation in the ordinary way goes through the
 * product's own client; anything the client would not send (a repeated key, a body that is no object) is sent as it is.
 */
export function apiCalls(url: string, key: string): ApiCalls {
  const send: ApiCalls['send'] = async (path, init) => {
    const response = await fetch(url + path, init)
    const called = findTemplate(init?.method ?? 'GET', segmentsOf(path.replace(apiPrefix, '')))
    if (response.ok && called) recordOperation(called.name)
    return response
  }

  const callRaw = async (method: string, path: string, body: unknown): Promise<Answer> => {
    const response = await send(wholePath(path), {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await bodyOf(response), headers: response.headers }
  }

  const callOperation = async ({ name, input }: Ordinary): Promise<Answer> => {
    let seen: Response | undefined
    const client = createClient({
      url,
      key,
      retry: { attempts: 1, maxWaitMs: 0 },
      fetch: async (address, init) => {
        const response = await fetch(address, init)
        seen = response.clone()
        return response
      },
    })
    const [resource = '', verb = ''] = name.split('.')
    // The table of addresses has the name, so the client has the method.
    const method = Reflect.get(Reflect.get(client, resource), verb) as (input: unknown) => Promise<unknown>
    try {
      const body = (await method(input)) ?? ''
      recordOperation(name)
      return { status: seen?.status ?? 0, body, headers: seen?.headers ?? new Headers() }
    } catch (error) {
      if (!(error instanceof Problem) || !seen) throw error
      return { status: error.status, body: await bodyOf(seen), headers: seen.headers }
    }
  }

  const call = (method: string, path: string, body?: unknown): Promise<Answer> => {
    const ordinary = findOperation(method, path, body)
    return ordinary ? callOperation(ordinary) : callRaw(method, path, body)
  }
  return {
    send,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
}

type Ordinary = { name: string; input: Record<string, unknown> }

const templates = Object.entries(addresses)
  .filter(([name]) => name !== 'events.stream')
  .map(([name, address]) => {
    const [method = '', path = ''] = address.split(' ')
    return { name, method, segments: path.split('/') }
  })
  // `/sessions/search` before `/sessions/{id}`.
  .toSorted((one, other) => parameterCount(one.segments) - parameterCount(other.segments))

function findTemplate(method: string, segments: readonly string[]) {
  return templates.find(
    (each) =>
      each.method === method &&
      each.segments.length === segments.length &&
      each.segments.every((segment, index) => segment.startsWith('{') || segment === segments[index]),
  )
}

function segmentsOf(address: string): string[] {
  const [path = ''] = address.split('?')
  return path.split('/')
}

function parameterCount(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}

/** The operation and the flat input that make the client send exactly this request; undefined if there are none. */
function findOperation(method: string, address: string, body: unknown): Ordinary | undefined {
  const [, query = ''] = address.split('?')
  const segments = segmentsOf(address)
  const found = findTemplate(method, segments)
  if (!found || !segments.every((segment) => encodeURIComponent(decoded(segment)) === segment)) return undefined
  const inPath = found.segments.flatMap((segment, index) =>
    segment.startsWith('{') ? [[segment.slice(1, -1), decoded(segments[index] ?? '')] as const] : [],
  )
  if (inPath.some(([, value]) => value === '' || value === '.' || value === '..')) return undefined
  const rest = method === 'GET' || method === 'DELETE' ? fromQuery(query, body) : fromBody(query, body)
  if (!rest || inPath.some(([key]) => Object.hasOwn(rest, key))) return undefined
  return { name: found.name, input: { ...rest, ...Object.fromEntries(inPath) } }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

function fromQuery(query: string, body: unknown): Record<string, unknown> | undefined {
  const values = new URLSearchParams(query)
  const isOrdinary = body === undefined && values.toString() === query && new Set(values.keys()).size === values.size
  return isOrdinary ? Object.fromEntries(values) : undefined
}

function fromBody(query: string, body: unknown): Record<string, unknown> | undefined {
  if (query !== '') return undefined
  if (body === undefined) return {}
  const isPlain = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  // An own `__proto__` key would not survive being merged into another object.
  return isPlain && !Object.hasOwn(body, '__proto__') ? { ...body } : undefined
}
