/** Short-lived values that may disappear at any moment. The cache is never the only copy. */
export type Cache = {
  /** The store in use, for the health report. */
  store: 'in-process' | 'redis' | 'none'
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, options: { ttlSeconds: number }): Promise<void>
  delete(key: string): Promise<void>
  /** Rejects when the store does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** For deployments without a cache: stores nothing. The deep probe reports it. */
export function noCache(): Cache {
  const nothing = async (): Promise<undefined> => undefined
  return { store: 'none', get: nothing, set: nothing, delete: nothing, ping: nothing, close: nothing }
}
