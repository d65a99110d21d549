import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import { truncate } from '../truncate.ts'
import type { Checker } from './guard.ts'
import { guessLimit } from './guess-limit.ts'
import { wantsPage } from './pages.ts'

type Options = {
  username: string
  /** Undefined closes the realm. */
  password: string | undefined
  log: Log
  now?(): number
}

const challenge = 'Basic realm="Yardmaster operator", charset="UTF-8"'

export type OperatorRealm = {
  /** For routes that declare `operator`. */
  check: Checker
  /** False without a credential or with a wrong one. Throws a refusal for a network that has guessed too often. */
  accepts(authorization: string | undefined, address: string | undefined): boolean
  /** Throws a refusal unless it is the operator's password. */
  verify(password: string, address: string | undefined): void
}

/** Characters that a password needs so that no one finds it by asking. */
const unguessableLength = 24

/**
 * The operator realm: one name and password for everything that declares `operator`, by HTTP Basic. With a short password, a network
 * that has guessed too often is refused before its password is compared: its next answers would tell it which guess is right. A
 * long one is accepted whatever its network sent before, so that an agent on the operator's machine cannot lock the operator out.
 */
export function operatorRealm({ username, password, log, now = () => performance.now() }: Options): OperatorRealm {
  const expected = password === undefined ? undefined : [username, password].map(digestOf)
  const guesses = guessLimit({ log, what: 'passwords', now })
  const noteClosed = closedNote(log, now)
  const isGuessable = password !== undefined && password.length < unguessableLength
  if (isGuessable) log.info(guessable)
  const refuseGuesser = (address: string | undefined) => {
    if (isGuessable) guesses.refuseIfReached(address)
  }
  const accepts = (presented: string | undefined, address: string | undefined): boolean => {
    if (!expected || presented === undefined) return false
    refuseGuesser(address)
    if (matches(presented, expected)) return true
    guesses.countWrong(presented, address)
    return false
  }
  const verify = (given: string, address: string | undefined): void => {
    const [, digest] = expected ?? []
    if (!digest) refuse('unauthorized', closed)
    refuseGuesser(address)
    if (timingSafeEqual(digest, digestOf(given))) return
    guesses.countWrong(given, address)
    refuse('unauthorized', "That is not the operator's password")
  }
  const check: Checker = (request, reply) => {
    if (!expected) {
      noteClosed(request)
      return refuse('unauthorized', closed)
    }
    if (accepts(request.headers.authorization, request.ip)) return
    if (mayAsk(request)) reply.header('www-authenticate', challenge)
    refuse('unauthorized', needed)
  }
  return { check, accepts, verify }
}

/** Anyone can send a request here, as often as they like. */
const maxLoggedPath = 200
const logWindowMs = 60_000
/** More than a person sends, so that a person finds each of their requests in the log. */
const maxLogged = 10

/** A line for each request, at most ten a minute; the next line has the number of requests that got none. */
function closedNote(log: Log, now: () => number): (request: FastifyRequest) => void {
  let begunAtMs = Number.NEGATIVE_INFINITY
  let logged = 0
  let unlogged = 0
  return ({ method, url }) => {
    if (now() - begunAtMs >= logWindowMs) {
      begunAtMs = now()
      logged = 0
    }
    if (logged === maxLogged) {
      unlogged += 1
      return
    }
    const path = truncate(url.split('?', 1)[0] ?? '', maxLoggedPath, '…')
    const since = unlogged === 0 ? {} : { unloggedRequests: unlogged }
    log.warn({ method, path, ...since }, 'the operator realm is closed: SUPERVISOR_PASSWORD is not set')
    logged += 1
    unlogged = 0
  }
}

const closed =
  'SUPERVISOR_PASSWORD is unset or blank, so the operator realm is closed. Set it and start Yardmaster again. POST /api/v1/health/* with an API key still works.'
const guessable = `SUPERVISOR_PASSWORD has fewer than ${unguessableLength} characters: a program at the operator's address, such as an agent on the same machine, can lock the operator out by wrong guesses`
const needed = 'This needs the operator credential (HTTP Basic, SUPERVISOR_PASSWORD).'

/** Both parts are always compared, as digests of one length: the time of a refusal does not tell which of them is wrong. */
function matches(presented: string, expected: readonly Buffer[]): boolean {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(presented) ?? []
  const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  const given = [name, password].map(digestOf)
  const equal = expected.map((digest, index) => timingSafeEqual(digest, given[index] ?? Buffer.alloc(digest.length)))
  return equal.every(Boolean)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * The challenge opens a password dialog. A page that a browser fetches ahead of a click must not open one, and a program that
 * speaks JSON has no use for it.
 */
function mayAsk(request: FastifyRequest): boolean {
  return !isSpeculative(request) && (wantsPage(request) || !speaksJson(request))
}

function isSpeculative({ headers }: FastifyRequest): boolean {
  return ['x-sec-purpose', 'sec-purpose', 'purpose'].some((name) =>
    /prefetch|preview|prerender/i.test(String(headers[name])),
  )
}

function speaksJson({ headers }: FastifyRequest): boolean {
  return [headers.accept, headers['content-type']].some((type) => /\bjson\b/i.test(type ?? ''))
}
