import type { ElicitationPoll } from '@yardmaster/contract/elicitations/fields'
import type { Clock } from '../../platform/clock.ts'
import type { Events } from '../../platform/events/events.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { presentPending } from './present.ts'
import { openReachability, type Reachability } from './reachability.ts'
import type { TokenOwner } from './token-store.ts'

declare module '../app.ts' {
  interface App {
    /** What this host knows about tokens and pending questions. */
    questions: QuestionMemory
    /** How long a person has time to answer when the asker says nothing. */
    elicitationMinutes: number
  }
}

type Pending = Pick<ElicitationRow, 'session_id' | 'namespace' | 'request_id' | 'expires_at'>
type Known = TokenOwner & {
  pending: Map<string, { poll: ElicitationPoll; expiresAt: Date; readAt: number }>
  readAt: number
}

export type QuestionMemory = {
  /** The tokens of the runs of this host, by run marker, for redaction. */
  issued: Map<string, string>
  /** Undefined if the database has to be asked. */
  ownerOf(token: string): TokenOwner | undefined
  /** What a poll of a pending question is answered. Undefined if the database has to be asked. */
  pendingOf(token: string, requestId: string): ElicitationPoll | undefined
  /** Begins a read. What it returns stores the result, unless an event made it stale. A pending question proves the token too. */
  reading(token: string): { owner(owner: TokenOwner): void; pending(row: Pending): void }
  forget(sessionId: number): void
  /** Of this host's sweeps. */
  reachable: Reachability
}

/** An answer arrives by an event within milliseconds. Only a lost event makes it this late. */
const freshMs = 30_000

/** Longer, so that one query renews both: the read of a pending question looks at the token as well. */
const ownerFreshMs = 45_000

/** Evict the oldest beyond this. */
const maxTokens = 5000

/** `monotonicMs`: a step of the wall clock makes nothing fresh or old. */
type Options = { events: Events; clock: Clock; monotonicMs?: () => number }

/**
 * MCP servers poll every second or so for answers that take minutes. A poll of a question that is known to be pending costs
 * no query. Every event about a session makes this host forget what it knows about it; events come from all hosts.
 */
export function openQuestionMemory({ events, clock, monotonicMs = () => performance.now() }: Options): QuestionMemory {
  const byToken = new Map<string, Known>()
  const changes = trackChanges()
  const known = (token: string): Known | undefined => {
    const found = byToken.get(token)
    return found && monotonicMs() - found.readAt < ownerFreshMs ? found : undefined
  }
  const forget = (sessionId: number): void => {
    changes.record(sessionId)
    for (const [token, { session_id }] of byToken) if (session_id === sessionId) byToken.delete(token)
  }
  events.follow({
    onEvents: (all) => {
      for (const { session_id } of all) if (session_id !== null) forget(session_id)
    },
    onClosed: () => {
      changes.recordAll()
      byToken.clear()
    },
  })
  return {
    issued: new Map(),
    ownerOf: known,
    pendingOf: (token, requestId) => {
      const found = known(token)?.pending.get(requestId)
      const isFresh = found && monotonicMs() - found.readAt < freshMs && clock.now() < found.expiresAt
      return isFresh ? found.poll : undefined
    },
    reading: (token) => {
      const began = changes.now()
      return {
        owner: (owner) => {
          if (changes.hasChangedSince(began, owner.session_id)) return
          byToken.delete(token)
          byToken.set(token, { ...owner, pending: new Map(), readAt: monotonicMs() })
          for (const oldest of byToken.keys()) {
            if (byToken.size <= maxTokens) return
            byToken.delete(oldest)
          }
        },
        pending: (row) => {
          const found = byToken.get(token)
          if (!found || changes.hasChangedSince(began, row.session_id)) return
          found.readAt = monotonicMs()
          const { request_id: requestId, expires_at: expiresAt } = row
          found.pending.set(requestId, { poll: presentPending(row), expiresAt, readAt: found.readAt })
        },
      }
    },
    forget,
    reachable: openReachability(clock),
  }
}

/** When each session last changed, counted in changes. A session beyond the limit counts as changed when it was evicted. */
function trackChanges() {
  const lastOf = new Map<number, number>()
  let count = 0
  let evictedAt = 0
  return {
    now: () => count,
    record: (sessionId: number): void => {
      count += 1
      lastOf.delete(sessionId)
      lastOf.set(sessionId, count)
      const [oldest] = lastOf
      if (!oldest || lastOf.size <= maxTokens) return
      evictedAt = oldest[1]
      lastOf.delete(oldest[0])
    },
    recordAll: (): void => {
      count += 1
      evictedAt = count
      lastOf.clear()
    },
    hasChangedSince: (began: number, sessionId: number): boolean => (lastOf.get(sessionId) ?? evictedAt) > began,
  }
}
