import type { Log } from '../platform/log/log.ts'

/** Remembers what was opened and closes it in reverse. One that fails to close is logged and does not keep the rest open. */
export function closing(log: Log) {
  const steps: { name: string; close(): unknown }[] = []
  let closed: Promise<void> | undefined

  const closeAll = async (): Promise<void> => {
    for (const { name, close } of steps.reverse()) {
      try {
        await close()
      } catch (error) {
        log.error({ err: error }, `${name} could not be closed`)
      }
    }
  }
  return {
    opened<T>(name: string, resource: T, close: (resource: T) => unknown): T {
      steps.push({ name, close: () => close(resource) })
      return resource
    },
    close: (): Promise<void> => {
      closed ??= closeAll()
      return closed
    },
  }
}
