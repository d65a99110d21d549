import type { Clock } from '../../platform/clock.ts'
import type { Events } from '../../platform/events/events.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import type { TokenOwner } from './token-store.ts'

declare module '../app.ts' {
  interface App {
    /** What this host knows about tokens and pending questions. */
    questions: QuestionMemory
    /** How long a person has time to answer when the asker says nothing. */
    elicitationMinutes: number
  }
}

type Pending = Pick<ElicitationRow, 'namespace' | 'request_id' | 'expires_at'>
type Known = TokenOwner & { pending: Map<string, Pending>; readAt: number }

export type QuestionMemory = {
  /** The tokens of the runs of this host, by run marker, for redaction. */
  issued: Map<string, string>
  /** Undefined if the database has to be asked. */
  ownerOf(token: string): TokenOwner | undefined
  /** Undefined if the database has to be asked. */
  pendingOf(token: string, requestId: string): Pending | undefined
  /** Begins a read. What it returns stores the result, unless an event made it stale. */
  reading(token: string): { owner(owner: TokenOwner): void; pending(row: Pending): void }
  forget(sessionId: number): void
}

/** An answer arrives by an event within milliseconds. Only a lost event makes it this late. */
const freshMs = 30_000

/** Evict the oldest beyond this. */
const maxTokens = 5000

/**
 * MCP servers poll every second or so for answers that take minutes. A poll of a question that is known to be pending costs
 * no query. Every event about a session makes this host forget what it knows about it; events come from all hosts.
 */
export function openQuestionMemory({ events, clock }: { events: Events; clock: Clock }): QuestionMemory {
  const byToken = new Map<string, Known>()
  let changes = 0
  const now = (): number => clock.now().getTime()
  const known = (token: string): Known | undefined => {
    const found = byToken.get(token)
    return found && now() - found.readAt < freshMs ? found : undefined
  }
  const forget = (sessionId: number): void => {
    changes += 1
    for (const [token, { session_id }] of byToken) if (session_id === sessionId) byToken.delete(token)
  }
  events.follow({
    onEvents: (all) => {
      for (const { session_id } of all) if (session_id !== null) forget(session_id)
    },
    onClosed: () => byToken.clear(),
  })
  return {
    issued: new Map(),
    ownerOf: known,
    pendingOf: (token, requestId) => {
      const row = known(token)?.pending.get(requestId)
      return row && now() < row.expires_at.getTime() ? row : undefined
    },
    reading: (token) => {
      const before = changes
      return {
        owner: (owner) => {
          if (changes !== before) return
          byToken.delete(token)
          byToken.set(token, { ...owner, pending: new Map(), readAt: now() })
          for (const oldest of byToken.keys()) {
            if (byToken.size <= maxTokens) return
            byToken.delete(oldest)
          }
        },
        pending: (row) => {
          if (changes === before) byToken.get(token)?.pending.set(row.request_id, row)
        },
      }
    },
    forget,
  }
}
