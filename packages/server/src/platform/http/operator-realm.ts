import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import { truncate } from '../truncate.ts'
import type { Checker } from './guard.ts'
import type { KeyCheck } from './key-check.ts'
import { wantsPage } from './pages.ts'

type Options = {
  username: string
  /** Undefined closes the realm. */
  password: string | undefined
  log: Log
  /** Counts wrong passwords by network. A right one is accepted whatever its network sent before. */
  guesses: Pick<KeyCheck, 'countWrong'>
}

const challenge = 'Basic realm="Yardmaster operator", charset="UTF-8"'

/** The operator realm: one name and password for everything that declares `operator`, by HTTP Basic. */
export function operatorChecker({ username, password, log, guesses }: Options): Checker {
  const expected = password === undefined ? undefined : [username, password].map(digestOf)
  return (request, reply) => {
    if (!expected) {
      const path = truncate(request.url.split('?', 1)[0] ?? '', maxLoggedPath, '…')
      log.warn({ method: request.method, path }, 'the operator realm is closed: SUPERVISOR_PASSWORD is not set')
      return refuse('unauthorized', closed)
    }
    const presented = request.headers.authorization
    if (matches(presented, expected)) return
    if (presented !== undefined) guesses.countWrong(presented, request.ip)
    if (mayAsk(request)) reply.header('www-authenticate', challenge)
    refuse('unauthorized', needed)
  }
}

/** Anyone can send a request here. */
const maxLoggedPath = 200

const closed =
  'SUPERVISOR_PASSWORD is unset or blank, so the operator realm is closed. POST /api/v1/health/* with an API key still works.'
const needed = 'This needs the operator credential (HTTP Basic, SUPERVISOR_PASSWORD).'

/** Both parts are always compared, as digests of one length: the time of a refusal does not tell which of them is wrong. */
function matches(presented: string | undefined, expected: readonly Buffer[]): boolean {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(presented ?? '') ?? []
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
