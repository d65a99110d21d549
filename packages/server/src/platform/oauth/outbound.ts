import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { lookUpPublic, problemWithAddress } from '../public-address.ts'
import { storable } from '../storable-text.ts'
import { truncate } from '../truncate.ts'
import { problemWithEndpoint } from './endpoint-rule.ts'

/** Sends one request and reads the whole answer. Throws `RequestFailed` if there is none that can be used. */
export type Outbound = (address: string, init?: Init) => Promise<Response>

type Init = {
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  /** The body of the answer is not read: it may be a stream that never ends. */
  isBodyIgnored?: boolean
}

export type OutboundOptions = {
  /** Origins that may be anywhere, such as on our own network. */
  allowedOrigins: readonly string[]
  /** Of an authority to trust instead of those of Node. */
  ca?: string | undefined
  timeoutMs?: number
  maxBytes?: number
}

/** `wasSent`: the other side may have acted on the request. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly wasSent: boolean

  constructor(message: string, { wasSent, cause }: { wasSent: boolean; cause?: unknown }) {
    super(truncate(storable(message), 500), { cause })
    this.wasSent = wasSent
  }
}

const maxRedirects = 3

/**
 * Requests to addresses that other parties name: only https, and only public addresses, which are checked when the connection is
 * made, so that what was checked is what is connected to. Only a GET follows redirects, and each target is checked the same way.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  return async (address, init = {}) => {
    let target = address
    for (let hops = 0; ; hops += 1) {
      const response = await send(target, init, options)
      const location = response.headers.get('location')
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null
      if (!isRedirect || (init.method ?? 'GET') !== 'GET') return response
      if (hops === maxRedirects) throw new RequestFailed('it redirects too often', { wasSent: true })
      if (!URL.canParse(location, target)) throw new RequestFailed('it redirects to no address', { wasSent: true })
      target = new URL(location, target).href
    }
  }
}

function send(address: string, init: Init, options: OutboundOptions): Promise<Response> {
  const { allowedOrigins, ca, timeoutMs = 30_000, maxBytes = 1_000_000 } = options
  const isAllowed = URL.canParse(address) && allowedOrigins.includes(new URL(address).origin)
  const problem = problemWithEndpoint(address) ?? (isAllowed ? undefined : problemWithAddress(address))
  if (problem !== undefined)
    return Promise.reject(new RequestFailed(`the address ${shown(address)} ${problem}`, { wasSent: false }))
  const { method = 'GET', headers = {}, body, isBodyIgnored = false } = init
  const signal = AbortSignal.timeout(timeoutMs)
  const how: RequestOptions = {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    signal,
    agent: false,
    ...(!isAllowed && { lookup: lookUpPublic }),
    ...(ca !== undefined && { ca }),
  }
  return new Promise((resolve, reject) => {
    let wasSent = false
    const fail = (error: Error): void => {
      const why = signal.aborted ? 'it did not answer in time' : error.message
      reject(error instanceof RequestFailed ? error : new RequestFailed(why, { wasSent, cause: error }))
    }
    const sending = requestHttps(address, how, (answer) => {
      const body = isBodyIgnored ? Promise.resolve(null) : read(answer, maxBytes)
      body.then((bytes) => resolve(responseOf(answer, bytes))).catch(fail)
      if (isBodyIgnored) answer.destroy()
    })
    sending.on('socket', (socket: TLSSocket) => socket.once('secureConnect', () => (wasSent = true)))
    sending.on('error', fail)
    sending.end(body)
  })
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RequestFailed(`its answer is longer than ${maxBytes} bytes`, { wasSent: true })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function responseOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer | null): Response {
  if (statusCode < 200 || statusCode > 599)
    throw new RequestFailed(`it answered with the status ${statusCode}`, { wasSent: true })
  const known = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  )
  const isEmpty = [204, 205, 304].includes(statusCode)
  return new Response(isEmpty || body === null ? null : new Uint8Array(body), { status: statusCode, headers: known })
}

/** Without what may be secret in it. */
export function shown(address: string): string {
  if (!URL.canParse(address)) return truncate(storable(address), 100)
  const { protocol, host, pathname } = new URL(address)
  return truncate(`${protocol}//${host}${pathname === '/' ? '' : pathname}`, 200)
}
