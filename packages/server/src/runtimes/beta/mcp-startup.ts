import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** Waits for MCP servers to start. Codex does not wait, and the model would not see the tools of a server that is not up. */
export function watchStartup() {
  const settled = new Set<string>()
  let check = (): void => undefined
  return {
    statusChanged(params: unknown): void {
      const { data } = Status.safeParse(params)
      if (data && data.status !== 'starting') settled.add(data.name)
      check()
    },
    unsettled: (names: readonly string[]): string[] => names.filter((name) => !settled.has(name)),
    /** Settles when all of these servers are up or have failed, or after the timeout. Returns those that still start. */
    async settled(names: readonly string[]): Promise<string[]> {
      const all = new Promise<void>((resolve) => {
        check = () => {
          if (names.every((name) => settled.has(name))) resolve()
        }
        check()
      })
      const cancelTimer = new AbortController()
      await Promise.race([all, sleep(timeoutMs, undefined, { signal: cancelTimer.signal }).catch(() => undefined)])
      cancelTimer.abort()
      return names.filter((name) => !settled.has(name))
    },
  }
}

const Status = z.object({ name: z.string(), status: z.string() })

/** A slower server is available from the next model call on. */
export const timeoutMs = 10_000
