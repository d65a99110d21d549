import { createHash, randomUUID } from 'node:crypto'
import { limits } from '@yardmaster/contract/limits'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'

const seconds = limits.maintenanceCooldownSeconds

/** Who asks: each API key, and the pages together, have a cooldown of their own for each action. */
export type Asker = { surface: 'REST API' | 'web UI' | 'MCP'; key: string | undefined }

/** Everyone who acts on a page: the health page, and the dashboard. */
export const webAsker: Asker = { surface: 'web UI', key: undefined }

/**
 * Runs the action unless the same asker began or ended it less than 30 seconds ago. It is claimed before it runs, so of two calls at
 * the same time one is refused. A failed action does not count.
 */
export async function withCooldown<T>(app: App, action: string, asker: Asker, run: () => Promise<T>): Promise<T> {
  const entry = `maintenance:${action}:${bucketOf(asker)}`
  const claim = `${app.clock.now().getTime()} ${randomUUID()}`
  const holder = await claimEntry(app, entry, claim)
  if (holder === undefined)
    refuse('cooldown_unavailable', `The cache is unavailable, so the ${seconds}-second cooldown cannot be enforced.`)
  if (holder !== claim) refuseUntil(app, Number.parseInt(holder, 10) + seconds * 1000)
  try {
    const result = await run()
    // Done is done: without the cache the claim still holds for as long.
    await app.cache.set(entry, String(app.clock.now().getTime()), { ttlSeconds: seconds }).catch(() => undefined)
    return result
  } catch (error) {
    await releaseEntry(app, entry, claim).catch(() => undefined)
    throw error
  }
}

/** An action that took longer than its claim may have left it to another caller. */
async function releaseEntry(app: App, entry: string, claim: string): Promise<void> {
  if ((await app.cache.get(entry)) === claim) await app.cache.delete(entry)
}

function refuseUntil(app: App, timeMs: number): never {
  const leftMs = timeMs - app.clock.now().getTime()
  const retryAfter = Math.min(Math.max(Math.ceil(leftMs / 1000), 1), seconds)
  return refuse('maintenance_cooldown', `Please wait ${seconds} seconds between actions; ${retryAfter} s are left`, {
    retry_after: retryAfter,
  })
}

/** The key itself is never stored. */
function bucketOf({ key }: Asker): string {
  return key === undefined ? 'anonymous' : createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/** The claim that holds the entry now. Undefined if the cache fails or keeps nothing: then no cooldown can be enforced. */
async function claimEntry({ cache, log }: App, entry: string, claim: string): Promise<string | undefined> {
  try {
    await cache.add(entry, claim, { ttlSeconds: seconds })
    // An entry may expire between the two calls.
    const holder = await cache.get(entry)
    if (holder !== undefined) return holder
    await cache.add(entry, claim, { ttlSeconds: seconds })
    return await cache.get(entry)
  } catch (error) {
    log.warn({ err: error }, 'the cache failed, so a maintenance action was refused')
    return undefined
  }
}
