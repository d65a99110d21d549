import { createHash, randomUUID } from 'node:crypto'
import { limits } from '@yardmaster/contract/limits'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'

const seconds = limits.maintenanceCooldownSeconds

/** Who asks: each API key and the web page have a cooldown of their own for each action. */
export type Asker = { surface: 'REST API' | 'web UI' | 'MCP'; key: string | undefined }

/** Runs the action unless the same asker ran it less than 30 seconds ago. A failed action does not count. */
export async function withCooldown<T>(app: App, action: string, asker: Asker, run: () => Promise<T>): Promise<T> {
  const entry = `maintenance:${action}:${bucketOf(asker)}`
  await refuseWithoutCache(app)
  const last = await read(app, entry)
  const leftMs = last === undefined ? 0 : last + seconds * 1000 - app.clock.now().getTime()
  if (leftMs > 0) {
    const retryAfter = Math.min(Math.ceil(leftMs / 1000), seconds)
    refuse('maintenance_cooldown', `Please wait ${seconds} seconds between actions; ${retryAfter} s are left`, {
      retry_after: retryAfter,
    })
  }
  const result = await run()
  await app.cache.set(entry, String(app.clock.now().getTime()), { ttlSeconds: seconds + 1 })
  return result
}

/** The key itself is never stored. */
function bucketOf({ key }: Asker): string {
  return key === undefined ? 'anonymous' : createHash('sha256').update(key).digest('hex').slice(0, 32)
}

async function read(app: App, entry: string): Promise<number | undefined> {
  const stored = await app.cache.get(entry)
  return stored === undefined ? undefined : Number(stored)
}

/** Without a cache that keeps what is written, the cooldown cannot be enforced: the action is refused. */
async function refuseWithoutCache(app: App): Promise<void> {
  const canary = `maintenance:canary:${randomUUID()}`
  const isUsable = await writeAndRead(app, canary).catch(() => false)
  if (!isUsable)
    refuse('cooldown_unavailable', `The cache is unavailable, so the ${seconds}-second cooldown cannot be enforced.`)
}

async function writeAndRead({ cache }: App, canary: string): Promise<boolean> {
  await cache.set(canary, canary, { ttlSeconds: 5 })
  const isKept = (await cache.get(canary)) === canary
  await cache.delete(canary)
  return isKept
}
