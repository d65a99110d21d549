import type { Clock } from '../clock.ts'
import type { Cache } from './cache.ts'

/** Evict the oldest entry beyond this, so that a caller who invents keys cannot fill the memory. */
const maxEntries = 10_000

/** An entry with more time left than it was given has seen the clock go back, and would outlive its time by as much. */
const toleranceMs = 1000

export function memoryCache({ clock }: { clock: Clock }): Cache {
  const entries = new Map<string, { value: string; expiresAt: number; ttlMs: number }>()
  const get = (key: string): string | undefined => {
    const entry = entries.get(key)
    if (!entry) return undefined
    const leftMs = entry.expiresAt - clock.now().getTime()
    if (leftMs > 0 && leftMs <= entry.ttlMs + toleranceMs) return entry.value
    entries.delete(key)
    return undefined
  }
  const set = (key: string, value: string, ttlSeconds: number): void => {
    entries.delete(key)
    const ttlMs = ttlSeconds * 1000
    entries.set(key, { value, expiresAt: clock.now().getTime() + ttlMs, ttlMs })
    const [oldest] = entries.keys()
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
  }
  return {
    store: 'in-process',
    get: async (key) => get(key),
    set: async (key, value, { ttlSeconds }) => set(key, value, ttlSeconds),
    add: async (key, value, { ttlSeconds }) => {
      if (get(key) !== undefined) return false
      set(key, value, ttlSeconds)
      return true
    },
    delete: async (key) => {
      entries.delete(key)
    },
    ping: async () => undefined,
    close: async () => entries.clear(),
  }
}
