import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/**
 * Waits for MCP servers to come up. Codex itself waits for none: a model that is asked before a server is up does not
 * learn of its tools.
 */
export function watchStartup() {
  const settled = new Set<string>()
  let look = (): void => undefined
  return {
    /** A server's status has changed. */
    heard(params: unknown): void {
      const { data } = Status.safeParse(params)
      if (data && data.status !== 'starting') settled.add(data.name)
      look()
    },
    /** Settles when all of these are up or have failed, or when it takes too long. */
    async settled(names: readonly string[]): Promise<void> {
      const all = new Promise<void>((resolve) => {
        look = () => {
          if (names.every((name) => settled.has(name))) resolve()
        }
        look()
      })
      const giveUp = new AbortController()
      await Promise.race([all, sleep(patienceMs, undefined, { signal: giveUp.signal }).catch(() => undefined)])
      giveUp.abort()
    },
  }
}

const Status = z.object({ name: z.string(), status: z.string() })

/** What takes longer than this is used from the next call of the model on. */
const patienceMs = 20_000
