import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { App } from '../domain/app.ts'

type Check = { status: 'ok' | 'error'; adapter?: string; store?: string; error?: string }

const defaultTimeoutMs = 2000
const errorTextMax = 200
/** A check that hangs this long is abandoned and started again: its connection may be dead. */
const abandonMs = 30_000

/** Health checks for load balancers: no key, no writes to the database, bounded work. */
export function registerProbes(server: FastifyInstance, app: App, timeoutMs = defaultTimeoutMs): void {
  const { store } = app.cache
  const checkDatabase = guarded(timeoutMs, { adapter: 'PostgreSQL' }, () => readDatabase(app))
  const checkCache = guarded(timeoutMs, { store }, () => useCache(app))
  const checkRedis = guarded(timeoutMs, { store }, () => app.cache.ping())
  const checkFiles = guarded(timeoutMs, {}, () => useFiles(app))

  server.get('/up', { config: { auth: 'none' } }, async () => ({ status: 'ok' }))
  server.get('/up/deep', { config: { auth: 'none' } }, async (_request, reply) => {
    const [database, cache, redis, files] = await Promise.all([
      checkDatabase(),
      checkCache(),
      checkRedis(),
      checkFiles(),
    ])
    const checks = { database, cache, redis, files }
    const failed = Object.entries(checks).flatMap(([name, check]) => (check.status === 'ok' ? [] : [name]))
    reply.code(failed.length === 0 ? 200 : 503)
    return {
      status: failed.length === 0 ? 'ok' : 'error',
      failed,
      checks,
      checked_at: formatTimestamp(app.clock.now()),
    }
  })
}

/** Reads a table as well: a connection alone does not prove that the schema exists. */
async function readDatabase({ control }: App): Promise<void> {
  await sql`select 1`.execute(control)
  await control.selectFrom('sessions').select('id').orderBy('id').limit(1).execute()
}

async function useCache({ cache }: App): Promise<void> {
  if (cache.store === 'none') throw new Error('no usable cache store is configured (CACHE=none)')
  const key = `probe:${randomUUID()}`
  await cache.set(key, key, { ttlSeconds: 10 })
  if ((await cache.get(key)) !== key) throw new Error('a value that was just written could not be read back')
  await cache.delete(key)
}

/**
 * The process has few threads for file operations. When they all wait, for a disk that hangs or a pipe, no turn can run
 * although the database responds.
 */
async function useFiles({ home }: App): Promise<void> {
  await access(home.path)
}

/** Turns an error or a timeout of `work` into a failed check. */
function guarded(timeoutMs: number, about: Record<string, string>, work: () => Promise<void>): () => Promise<Check> {
  const answer = shared(work)
  return async () => {
    const abandon = new AbortController()
    try {
      const timeout = wait(timeoutMs, undefined, { signal: abandon.signal }).then(() => {
        throw new Error(`no answer within ${timeoutMs / 1000} s`)
      })
      await Promise.race([answer(), timeout])
      return { status: 'ok', ...about }
    } catch (error) {
      return { status: 'error', ...about, error: describe(error) }
    } finally {
      abandon.abort()
    }
  }
}

/** Concurrent requests share one run, so that many probes do not take many connections. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let underway: { answer: Promise<void>; begunAt: number } | undefined
  return () => {
    if (underway && performance.now() - underway.begunAt < abandonMs) return underway.answer
    const begun = {
      begunAt: performance.now(),
      answer: work().finally(() => {
        if (underway === begun) underway = undefined
      }),
    }
    underway = begun
    return begun.answer
  }
}

/**
 * The probe needs no key, so its text tells neither credentials nor paths. Credentials are masked up to the last `@`: a
 * password may contain one. Of a URL only the host remains, and the text ends at the first path, which may contain spaces.
 */
function describe(error: unknown): string {
  return messageOf(error)
    .replace(/:\/\/\S*@/g, '://[redacted]@')
    .replace(urlOrPath, (found) => authority.exec(found)?.[0] ?? '[path]')
    .slice(0, errorTextMax)
}

const authority = /^[a-z][a-z\d+.-]*:\/\/[^\s/]*/i
const urlOrPath = /[a-z][a-z\d+.-]*:\/\/\S*|[^\s"'`(]*\/.*$/gis

/** Connecting to a name with several addresses throws an AggregateError without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message || error.name : String(error)
}
