/** Short-lived values that may disappear at any moment. The cache is never the only copy. */
export type Cache = {
  /** The store in use, for the health report. */
  store: 'in-process' | 'redis' | 'none'
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, options: { ttlSeconds: number }): Promise<void>
  /** As `set`, unless the key has a value. One of several callers gets true. */
  add(key: string, value: string, options: { ttlSeconds: number }): Promise<boolean>
  delete(key: string): Promise<void>
  /** Rejects when the store does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** For deployments without a cache: stores nothing. The deep probe reports it. */
export function noCache(): Cache {
  const nothing = async (): Promise<undefined> => undefined
  const add = async () => false
  return { store: 'none', get: nothing, set: nothing, add, delete: nothing, ping: nothing, close: nothing }
}
