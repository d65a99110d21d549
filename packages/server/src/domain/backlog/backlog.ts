import { createMutex } from '../../platform/concurrency/mutex.ts'

/** The room's public interface: what the host gives it. */
export type Backlog = {
  /** The root of the catalog that the sessions of started items are created from. */
  agentRoot: string
  /** Runs one change of the queue at a time on this host. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

declare module '../app.ts' {
  interface App {
    backlog: Backlog
  }
}

export function openBacklog({ agentRoot }: Pick<Backlog, 'agentRoot'>): Backlog {
  return { agentRoot, inTurn: createMutex() }
}
