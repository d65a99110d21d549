/**
 * Wake-up calls between hosts: "something about this topic changed, look". They carry no data and may be lost; whoever
 * listens also looks when it (re)connects and, where a miss would matter, by a slow tick.
 */
export type Signals = {
  announce(topic: string): Promise<void>
  /** Calls `onHeard` for each announcement, our own included, and after every reconnect. Returns how to stop. */
  listen(topic: string, onHeard: () => void): () => void
  close(): Promise<void>
}

/** Who listens to what, shared by every kind of transport. */
export function listeners() {
  const byTopic = new Map<string, Set<() => void>>()
  return {
    add(topic: string, onHeard: () => void): () => void {
      const heard = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, heard.add(onHeard))
      return () => heard.delete(onHeard)
    },
    wake(topic: string): void {
      for (const onHeard of byTopic.get(topic) ?? []) onHeard()
    },
    wakeAll(): void {
      for (const topic of byTopic.keys()) this.wake(topic)
    },
  }
}
