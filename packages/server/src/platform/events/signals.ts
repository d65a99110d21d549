import { bindWork } from '../log/work-context.ts'

/**
 * Notifications between hosts that a topic changed. They may be lost: a listener is also called after every reconnect, and
 * polls slowly where a lost signal would matter. Only what may be lost is passed as data, in less than 8,000 bytes.
 */
export type Signals = {
  announce(topic: string, data?: string): Promise<void>
  /** Calls `onSignal` for each signal, our own included, and after every reconnect. Returns a function that stops it. */
  listen(topic: string, onSignal: OnSignal): () => void
  close(): Promise<void>
}

/** Without data after a reconnect, and for a topic that has none. */
type OnSignal = (data?: string) => void

/** A topic has no space, so one ends it. */
export function asMessage(topic: string, data: string | undefined): string {
  return data === undefined ? topic : `${topic} ${data}`
}

/** Listeners by topic, shared by all transports. */
export function listeners() {
  const byTopic = new Map<string, Set<OnSignal>>()
  return {
    add(topic: string, onSignal: OnSignal): () => void {
      const listening = byTopic.get(topic) ?? new Set()
      const bound = bindWork(onSignal)
      byTopic.set(topic, listening.add(bound))
      return () => listening.delete(bound)
    },
    wake(message: string): void {
      const space = message.indexOf(' ')
      const topic = space === -1 ? message : message.slice(0, space)
      const data = space === -1 ? undefined : message.slice(space + 1)
      for (const onSignal of byTopic.get(topic) ?? []) onSignal(data)
    },
    wakeAll(): void {
      for (const topic of byTopic.keys()) this.wake(topic)
    },
  }
}
