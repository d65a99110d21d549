/** Short-lived values that may vanish at any moment. Nothing that must be right is kept here alone. */
export type Cache = {
  /** What is in use, for the health report. */
  store: 'in-process' | 'redis' | 'none'
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, options: { ttlSeconds: number }): Promise<void>
  delete(key: string): Promise<void>
  /** Rejects when the store does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** For deployments that want no cache at all: it forgets everything, and the deep probe says so. */
export function noCache(): Cache {
  const nothing = async (): Promise<undefined> => undefined
  return { store: 'none', get: nothing, set: nothing, delete: nothing, ping: nothing, close: nothing }
}
