import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { wholePath } from '@yardmaster/contract/address'
import type { AnswerSpec, Declaration } from '@yardmaster/contract/endpoint'
import type { JsonObject } from '@yardmaster/contract/json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { writeJson } from '../exact-json.ts'
import { Refusal } from '../refusal.ts'
import type { OnUnsent } from './answer.ts'
import type { Browser } from './browser.ts'
import { Download, isKnown } from './download.ts'
import type { Endpoint } from './endpoint.ts'
import { readRequest, type Sent } from './endpoint-request.ts'
import { asJsonBody, Form } from './form-body.ts'
import { impliedRefusals } from './openapi.ts'
import { BodyRefusal } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the operation that the route calls. */
    operation?: string
    /** A GET that changes something all the same: an authorization server sends people back by one. */
    isWrite?: true
  }
  interface FastifyRequest {
    /** The id of what the request made, as its answer says. */
    createdId: string | number | null
    /** What the request was about, such as `connectors/calendar`, where its address does not say it. */
    about: string | null
  }
}

type RegisterOptions<App> = {
  app: App
  /** Checks each answer and refusal against its declaration. On in tests; production trusts the types. */
  isChecking: boolean
  /** Where the endpoints are mounted, and what they ask for there. */
  surface?: Surface
}

/** `web`: the endpoints for people and those that take an API key, for browsers: below `/web` instead of `/api`, by cookie. */
export type Surface = 'api' | 'web'

/** Mounts the endpoints and refuses two with the same address. */
export function registerEndpoints<App>(
  server: FastifyInstance,
  endpoints: readonly Endpoint<App>[],
  { app, isChecking, surface = 'api' }: RegisterOptions<App>,
): void {
  const addresses = new Set<string>()
  const shownBy = findShown(endpoints)
  for (const endpoint of endpoints) {
    const address = `${endpoint.method} ${unnamed(endpoint.path)}`
    if (addresses.has(address)) throw new Error(`two endpoints answer ${address}`)
    addresses.add(address)
    const performing = { app, isChecking, shown: shownBy(endpoint) }
    server.route({
      method: endpoint.isPutToo === true ? [endpoint.method, 'PUT'] : endpoint.method,
      url: addressOn(surface, endpoint.path).replace(/\{(\w+)\}/g, ':$1'),
      ...(endpoint.bodyLimitBytes !== undefined && { bodyLimit: endpoint.bodyLimitBytes }),
      config: {
        auth: surface === 'web' ? 'browser' : endpoint.auth,
        operation: endpoint.name,
        ...(endpoint.signedBy && { signedBy: endpoint.signedBy }),
        ...(endpoint.needsFullScope && { needsFullScope: endpoint.needsFullScope }),
      },
      handler: (request, reply) => perform(endpoint, request, reply, performing),
    })
  }
}

function addressOn(surface: Surface, path: string): string {
  return surface === 'web' ? wholePath(path).replace(/^\/api/, '/web') : wholePath(path)
}

type Performing<App> = Pick<RegisterOptions<App>, 'app' | 'isChecking'> & { shown: Shown<App> | undefined }

async function perform<App>(
  endpoint: Endpoint<App>,
  request: FastifyRequest,
  reply: FastifyReply,
  { app, isChecking, shown }: Performing<App>,
): Promise<FastifyReply> {
  try {
    const sent = new SentOverHttp(endpoint, request, reply)
    const { status, body, onUnsent } = await answerTo(endpoint, request.body, sent, app).catch(
      async (error: unknown) => {
        if (error instanceof BodyRefusal) await shown?.(sent, app)
        throw error
      },
    )
    if (isChecking) checkAnswer(endpoint, status, body)
    if (status === 201) request.createdId = idIn(body)
    if (body instanceof Download) return body.send(request, reply)
    if (onUnsent) watchSending(reply, onUnsent)
    return endpoint.isTagged === true && status === 200 ? sendTagged(request, reply, body) : send(reply, status, body)
  } catch (error) {
    if (isChecking && error instanceof Refusal) checkRefusal(endpoint, error)
    throw error
  }
}

async function answerTo<App>(endpoint: Endpoint<App>, body: unknown, sent: Sent, app: App) {
  if (body instanceof BodyRefusal) throw body
  return endpoint.handle(readRequest(endpoint, sent), app)
}

/** `{ session: { id: 12 } }` */
export function idIn(body: unknown): string | number | null {
  const [made] = Object.values(Object(body))
  const id: unknown = Reflect.get(Object(made), 'id') ?? Reflect.get(Object(made), 'key')
  return typeof id === 'number' || typeof id === 'string' ? id : null
}

/** Refuses a request to an unknown resource. */
type Shown<App> = (sent: Sent, app: App) => Promise<void>

/**
 * An unknown resource is refused before a bad body is: a caller with both mistakes needs the first answer. The resource is what
 * the `GET` of the path, or of its longest part that has one, shows. Where there is no `GET`, an operation finds it itself.
 */
function findShown<App>(endpoints: readonly Endpoint<App>[]): (endpoint: Endpoint<App>) => Shown<App> | undefined {
  const shows = endpoints.filter(({ method }) => method === 'GET')
  const finds = endpoints.filter(({ find }) => find !== undefined)
  const byPath = new Map([...finds, ...shows].map((each) => [unnamed(each.path), each] as const))
  return (endpoint) => {
    const { path } = endpoint
    const parts = path.split('/')
    const lengths = parts.flatMap((part, index) => (part.startsWith('{') ? [index + 1] : [])).toReversed()
    const above = lengths.map((length) => byPath.get(unnamed(parts.slice(0, length).join('/')))).find(Boolean)
    const show = endpoint.find ? endpoint : above
    if (!show) return undefined
    const [asked, given] = [namesIn(show.path), namesIn(path)]
    return async ({ params, headers, signal, browser }, app) => {
      const renamed = Object.fromEntries(
        asked.map((name, index) => [name, Reflect.get(Object(params), given[index] ?? '')]),
      )
      const request = readRequest(
        { ...show, body: undefined },
        { params: renamed, query: {}, body: {}, headers, signal, browser },
      )
      await (show.find ? show.find(request.params, app) : show.handle(request, app))
    }
  }
}

function unnamed(path: string): string {
  return path.replace(/\{\w+\}/g, '{}')
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** A class for the same reason as the request that is read from it. */
class SentOverHttp implements Sent {
  readonly params: unknown
  readonly query: unknown
  readonly headers: IncomingHttpHeaders
  readonly body: JsonObject
  readonly browser: Browser | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor({ body: schema }: Pick<Declaration, 'body'>, request: FastifyRequest, reply: FastifyReply) {
    const { params, query, headers, body = {} } = request
    this.params = params
    this.query = query
    this.headers = headers
    this.body = body instanceof Form ? asJsonBody(body, schema) : (body as JsonObject) // the parsers accept only objects
    this.browser = request.browser ?? undefined
    this.#request = request
    this.#reply = reply
  }

  turnToAnswer(bytes: number): Promise<void> {
    return this.#request.server.turnToAnswer(bytes, { request: this.#request, reply: this.#reply })
  }

  /** Created on demand: few handlers use it, and it costs more than the rest. */
  get signal(): AbortSignal {
    return signalOf(this.#reply)
  }
}

function watchSending({ raw }: FastifyReply, onUnsent: OnUnsent): void {
  const check = (): void => {
    if (!raw.writableFinished) onUnsent()
  }
  if (raw.closed) check()
  else raw.once('close', check)
}

/** Follows the response, not the framework's signal: that one aborts as soon as the body has been read. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.closed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}

/** The types already hold the answer to its schema, so plain `JSON.stringify` is enough. */
function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  reply.code(status)
  if (body === undefined) return reply.send()
  if (typeof body === 'string' || body instanceof Readable) {
    if (!reply.hasHeader('content-type'))
      reply.type(isEventStream(body) ? 'text/event-stream' : 'text/plain; charset=utf-8')
    return reply.send(body)
  }
  return reply.type('application/json; charset=utf-8').send(writeJson(body))
}

/** The tag is a digest of the answer, so it changes with everything the answer is made of. */
function sendTagged(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
  const json = writeJson(body)
  const tag = `"${createHash('sha256').update(json).digest('base64url')}"`
  reply.header('etag', tag)
  if (isKnown(tag, request.headers['if-none-match'])) return reply.code(304).send()
  return reply.code(200).type('application/json; charset=utf-8').send(json)
}

const eventStreams = new WeakSet<Readable>()

/** Marks a stream of server-sent events, which has its own content type. */
export function asEventStream(stream: Readable): Readable {
  eventStreams.add(stream)
  return stream
}

export function isEventStream(body: string | Readable): boolean {
  return typeof body !== 'string' && eventStreams.has(body)
}

function checkAnswer<App>(endpoint: Endpoint<App>, status: number, body: unknown): void {
  const declared = endpoint.answers[status]
  if (declared === undefined)
    throw new Error(`${endpoint.method} ${endpoint.path} answered ${status}, which it does not declare`)
  const alternatives: readonly AnswerSpec[] = Array.isArray(declared) ? declared : [declared as AnswerSpec] // isArray does not narrow readonly
  const problems = alternatives.map((spec) => problemWith(spec, body))
  if (problems.every((problem) => problem !== undefined)) {
    throw new Error(
      `${endpoint.method} ${endpoint.path} answered ${status} with a shape it does not declare: ${problems.join('; ')}`,
    )
  }
}

function problemWith(spec: AnswerSpec, body: unknown): string | undefined {
  if (spec === 'nothing') return body === undefined ? undefined : 'a body where none is declared'
  if (spec === 'text' || spec === 'event-stream') {
    return typeof body === 'string' || body instanceof Readable ? undefined : 'not a text'
  }
  if (spec === 'zip') return body instanceof Download ? undefined : 'not a file'
  const isExact = spec instanceof z.ZodObject && spec.def.catchall === undefined
  const schema = isExact ? spec.strict() : spec
  const result = schema.safeParse(body)
  return result.success ? undefined : z.prettifyError(result.error)
}

function checkRefusal<App>(endpoint: Endpoint<App>, refusal: Refusal): void {
  if ([...endpoint.refusals, ...impliedRefusals(endpoint)].includes(refusal.kind)) return
  throw new Error(`${endpoint.method} ${endpoint.path} refused with ${refusal.kind}, which it does not declare`)
}
