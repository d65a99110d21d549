import type { Log } from '../platform/log/log.ts'

/** Closes opened resources in reverse order. Logs a resource that fails to close and continues with the rest. */
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
