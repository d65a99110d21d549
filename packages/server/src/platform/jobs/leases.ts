import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { acquireLease, insertLeases, releaseLeases, renewLeases } from './lease-store.ts'

/** The leases of one host. A host that acquires a lease keeps it until it closes or can no longer renew it. */
export type Leases = {
  /** A signal that aborts when the lease is lost or `signal` aborts; undefined while another host holds the lease. */
  acquire(name: string): Promise<AbortSignal | undefined>
  /** Releases every lease, so that another host need not wait until they expire. */
  close(): Promise<void>
}

export type LeasesOptions = {
  db: Database
  /** Survives a restart of the host, so that it takes its own leases back at once. */
  owner: string
  names: readonly string[]
  signal: AbortSignal
  log: Log
  ttlMs?: number
}

/** How long work waits for another host after its host died. */
const defaultTtlMs = 15_000

export async function openLeases(options: LeasesOptions): Promise<Leases> {
  const { db, owner, names, signal, log, ttlMs = defaultTtlMs } = options
  if (names.length > 0) await insertLeases(db, names)
  const renewEveryMs = ttlMs / 3
  /** `endsAt` is by the monotonic clock and counts from before the query, so this host never overestimates it. */
  const held = new Map<string, { endsAt: number; lost: AbortController }>()

  const drop = (name: string): void => {
    held.get(name)?.lost.abort()
    held.delete(name)
  }
  const failureLevel = retryLevel()
  const renew = async (): Promise<void> => {
    if (held.size === 0) return
    const names = [...held.keys()]
    const sentAt = performance.now()
    try {
      const renewed = new Set(await renewLeases(db, names, { owner, ttlMs }))
      failureLevel.reset()
      for (const name of names) {
        const lease = held.get(name)
        if (!renewed.has(name)) drop(name)
        else if (lease) lease.endsAt = sentAt + ttlMs
      }
    } catch (error) {
      log[failureLevel.of(error)]({ err: error }, 'leases could not be renewed')
    }
    for (const [name, { endsAt }] of held) if (endsAt <= performance.now() + renewEveryMs) drop(name)
  }
  let renewal: Promise<void> | undefined
  const timer = setInterval(() => {
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
  }, renewEveryMs)
  timer.unref()
  signal.addEventListener('abort', () => {
    for (const { lost } of held.values()) lost.abort()
  })

  return {
    acquire: async (name) => {
      const known = held.get(name)
      if (known && known.endsAt > performance.now()) return known.lost.signal
      const endsAt = performance.now() + ttlMs
      if (!(await acquireLease(db, name, { owner, ttlMs }))) {
        drop(name)
        return undefined
      }
      const lease = held.get(name) ?? { endsAt, lost: new AbortController() }
      lease.endsAt = endsAt
      held.set(name, lease)
      return lease.lost.signal
    },
    close: async () => {
      clearInterval(timer)
      await renewal
      const names = [...held.keys()]
      names.forEach(drop)
      if (names.length === 0) return
      await releaseLeases(db, names, owner).catch((error: unknown) =>
        log[failureLevel.of(error)]({ err: error }, 'leases could not be released; they expire'),
      )
    },
  }
}
