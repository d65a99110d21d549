import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { inRequest } from './request-context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Waits until an answer of about this size may be made. */
    turnToAnswer(bytes: number, exchange: Exchange): Promise<void>
    /** For a handler that has passed the body on and answers with a long stream: others need not wait for its end. */
    endBody(request: FastifyRequest): void
  }
  interface FastifyContextConfig {
    /** A hook of the route identifies the caller before the body is read, although the guard asks for nothing. */
    identifiesCaller?: true
  }
}

/** Smaller bodies never wait. An answer of this size is watched while it is sent. */
export const largeBytes = 1024 ** 2
/** Of a body that is read from a stranger. A sign-in is far smaller. */
const strangerBytes = 16 * 1024
/** Of the large bodies that are received and handled at the same time. Each takes about four times its size in memory. */
const receivedBytes = 32 * 1024 ** 2
/** The same on routes that agents call. A hostile one keeps only agents waiting. */
const receivedFromAgentsBytes = 16 * 1024 ** 2
/** Of the large answers that are made and sent at the same time. */
const sentBytes = 64 * 1024 ** 2

/** No longer than a request may take to arrive. */
const waitMs = 13_000

/**
 * Lets large bodies in, and has large answers made, one after another where together they would take too much memory. The other bodies
 * wait unread, so that their callers stop sending; the time limit of a request counts meanwhile. Only for callers who have shown a
 * key, on routes that read a body: a stranger could keep everyone else waiting. A handler asks for the turn of its answer once it knows
 * how large the answer is, so that small answers and refusals never wait.
 */
export function takeLargeBodiesInTurn(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (route.config && isForStrangers(route.config)) route.bodyLimit ??= strangerBytes
  })
  const receive = openTurns(receivedBytes)
  const receiveFromAgent = openTurns(receivedFromAgentsBytes)
  const received = new WeakMap<FastifyRequest, () => void>()
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesOf(request)
    if (bytes < largeBytes || !isReadFromKeyHolder(request)) return done(null, payload)
    const take = request.routeOptions.config.identifiesCaller ? receiveFromAgent : receive
    received.set(
      request,
      take(bytes, { request, reply }, () => done(null, payload)),
    )
  })
  server.decorate('endBody', (request: FastifyRequest) => {
    request.body = undefined
    received.get(request)?.()
  })
  const send = openTurns(sentBytes)
  server.decorate('turnToAnswer', (bytes: number, exchange: Exchange) =>
    bytes < largeBytes
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => {
          if (isGone(exchange)) return reject(tooMany())
          const tooLate = setTimeout(() => reject(tooMany()), waitMs)
          send(bytes, exchange, () => {
            clearTimeout(tooLate)
            resolve()
          })
        }),
  )
}

const retryAfter = 10

function tooMany(): Refusal {
  return new Refusal('too_many_downloads', ['Other large answers are being sent. Try again.'], {
    retry_after: retryAfter,
  })
}

type Turn = { bytes: number; begin(): void }
type Exchange = { request: FastifyRequest; reply: FastifyReply }

type TakeTurn = (bytes: number, exchange: Exchange, begin: () => void) => () => void

/** A turn begins when the turns before it leave it room, and lasts until the exchange has ended, or until it is ended before. */
function openTurns(totalBytes: number): TakeTurn {
  let free = totalBytes
  const waiting: Turn[] = []
  const beginNext = (): void => {
    for (let [next] = waiting; next && next.bytes <= free; [next] = waiting) {
      waiting.shift()
      free -= next.bytes
      next.begin()
    }
  }
  return (bytes, exchange, begin) => {
    if (isGone(exchange)) {
      begin()
      return () => undefined
    }
    const turn = { bytes: Math.min(bytes, totalBytes), begin: () => inRequest(exchange.request, begin) }
    waiting.push(turn)
    const end = onceGone(exchange, () => {
      const place = waiting.indexOf(turn)
      if (place === -1) free += turn.bytes
      else waiting.splice(place, 1)
      beginNext()
    })
    beginNext()
    return end
  }
}

/** What it says, or the most it can be where it does not say. One that is too long is refused at once. */
function bytesOf({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const most = bodyLimit ?? 0
  if (headers['transfer-encoding'] !== undefined) return most
  const declared = Number(headers['content-length'] ?? 0)
  return declared > most ? 0 : declared
}

function isReadFromKeyHolder({ method, is404, routeOptions: { config } }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && !is404 && config.auth !== 'webhook' && !isForStrangers(config)
}

function isForStrangers({ auth, identifiesCaller }: FastifyContextConfig): boolean {
  return auth === 'none' && identifiesCaller !== true
}

/** Its `close` will not come again. */
function isGone({ request: { raw }, reply }: Exchange): boolean {
  return reply.raw.destroyed || reply.raw.closed || raw.socket.destroyed
}

/** A reply that waits behind another one of its connection does not say that the connection was closed. Returns what acts before. */
function onceGone({ request: { raw }, reply }: Exchange, act: () => void): () => void {
  const { socket } = raw
  let isOver = false
  const end = (): void => {
    reply.raw.off('close', end)
    socket.off('close', end)
    // The connection closes its replies, and calls those who listened to it all the same.
    if (!isOver) act()
    isOver = true
  }
  reply.raw.on('close', end)
  socket.on('close', end)
  return end
}
