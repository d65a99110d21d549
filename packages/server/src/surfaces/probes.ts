import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { App } from '../domain/app.ts'

type Check = { status: 'ok' | 'error'; adapter?: string; store?: string; error?: string }

const timeoutMs = 2000
const errorTextMax = 200

/** For load balancers and people: no key, no writes, nothing that can tire. */
export function registerProbes(server: FastifyInstance, app: App): void {
  server.get('/up', async () => ({ status: 'ok' }))
  server.get('/up/deep', async (_request, reply) => {
    const checks = {
      database: await guarded({ adapter: 'PostgreSQL' }, () => checkDatabase(app)),
      cache: await guarded({ store: app.cache.store }, () => checkCache(app)),
      redis: await guarded({ store: app.cache.store }, () => app.cache.ping()),
    }
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

/** A socket that answers is not enough: one row of a table proves that the schema is there. */
async function checkDatabase(app: App): Promise<void> {
  await sql`select 1`.execute(app.db)
  await app.db.selectFrom('sessions').select('id').orderBy('id').limit(1).execute()
}

async function checkCache({ cache }: App): Promise<void> {
  if (cache.store === 'none') throw new Error('no usable cache store is configured (CACHE=none)')
  const key = `probe:${randomUUID()}`
  await cache.set(key, key, { ttlSeconds: 10 })
  if ((await cache.get(key)) !== key) throw new Error('a value that was just written could not be read back')
  await cache.delete(key)
}

async function guarded(about: Record<string, string>, work: () => Promise<void>): Promise<Check> {
  const abandon = new AbortController()
  try {
    const timeout = wait(timeoutMs, undefined, { signal: abandon.signal }).then(() => {
      throw new Error(`no answer within ${timeoutMs / 1000} s`)
    })
    await Promise.race([work(), timeout])
    return { status: 'ok', ...about }
  } catch (error) {
    return { status: 'error', ...about, error: describe(error) }
  } finally {
    abandon.abort()
  }
}

/** Credentials in a URL are masked up to the last `@`, in case a password holds one itself. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.replace(/:\/\/\S*@/g, '://[redacted]@').slice(0, errorTextMax)
}
