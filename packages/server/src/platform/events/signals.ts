import { bindWork } from '../log/work-context.ts'

/**
 * Notifications between hosts that a topic changed. They carry no data and may be lost: a listener is also called after
 * every reconnect, and polls slowly where a lost signal would matter.
 */
export type Signals = {
  announce(topic: string): Promise<void>
  /** Calls `onSignal` for each signal, our own included, and after every reconnect. Returns a function that stops it. */
  listen(topic: string, onSignal: () => void): () => void
  close(): Promise<void>
}

/** Listeners by topic, shared by all transports. */
export function listeners() {
  const byTopic = new Map<string, Set<() => void>>()
  return {
    add(topic: string, onSignal: () => void): () => void {
      const listening = byTopic.get(topic) ?? new Set()
      const bound = bindWork(onSignal)
      byTopic.set(topic, listening.add(bound))
      return () => listening.delete(bound)
    },
    wake(topic: string): void {
      for (const onSignal of byTopic.get(topic) ?? []) onSignal()
    },
    wakeAll(): void {
      for (const topic of byTopic.keys()) this.wake(topic)
    },
  }
}
