import { useEffect, useRef } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { useConnection, useLiveEvent } from '../../shared/live/live.tsx'
import type { Elicitation } from '../elicitations/elicitation-form.tsx'
import { type Turn, turnsOnPage } from '../transcripts/turns.ts'
import { type Entries, useEntries } from '../transcripts/use-entries.ts'
import { useInterval } from '../transcripts/use-interval.ts'
import { type Session, underwayOf } from './session-facts.ts'

/** Events of new entries may be lost, so that a running turn is also looked at from time to time. */
const lookEveryMs = 4_000

export type FailedRead = { error: unknown; refetch(): unknown }

type Conversation = {
  turns: readonly Turn[]
  underway: Turn | undefined
  /** Messages that wait in the queue. */
  queued: number
  elicitations: readonly Elicitation[]
  /** What could not be read of the above. */
  failed: FailedRead | undefined
  entries: Entries
}

/** What is said between people and the agent of a session, kept up to date while it is looked at. */
export function useConversation(session: Session, id: string, start?: number): Conversation {
  const listed = useRead('turns.list', { session_id: id, per_page: turnsOnPage })
  const queue = useRead('enqueued_messages.list', { session_id: id, status: 'pending', per_page: 100 })
  const asked = useRead('elicitations.list', { session_id: id, status: 'pending' })
  const entries = useEntries(id, { ...(start !== undefined && { start }) })
  const turns = listed.data?.turns ?? []
  const underway = underwayOf(session, turns)
  useFollowing(session, entries, underway !== undefined)
  useSeenByPerson(session, id)
  return {
    turns,
    underway,
    queued: queue.data?.pagination.total_count ?? 0,
    elicitations: asked.data?.elicitations ?? [],
    failed: [asked, listed, queue].find(({ data, error }) => !data && error),
    entries,
  }
}

/** Reads new entries while a turn is underway, when the session changes, and when the stream is back. */
function useFollowing({ id }: Session, { catchUp, reread }: Entries, isWorking: boolean): void {
  const connection = useConnection()
  const subagents = useRef(new Set<string>())
  useInterval(catchUp, isWorking ? lookEveryMs : undefined)
  useLiveEvent('transcript.appended', ({ data: { session_id, thread } }) => {
    if (session_id !== id) return
    if (thread === 'main') return catchUp()
    if (subagents.current.has(thread)) return
    subagents.current.add(thread)
    reread()
  })
  useLiveEvent('turn.ended', ({ data }) => data.session_id === id && catchUp())
  useLiveEvent('session.status_changed', ({ data }) => data.session_id === id && catchUp())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was written meanwhile is read when the stream is back.
  useEffect(() => {
    catchUp()
    // A runtime may say only at the end which call started a subagent.
    if (subagents.current.size > 0) reread()
  }, [connection, isWorking])
}

/** Takes the session off the list of what waits for a person, once one looks at it. */
function useSeenByPerson({ status, updated_at }: Session, id: string): void {
  const { mutate } = useWrite('sessions.mark_seen', {
    refreshes: ['needs_you', 'board', 'notifications'],
    complains: 'never',
  })
  const waits = status === 'needs_input' || status === 'failed'
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the session is seen.
  useEffect(() => {
    if (!waits) return
    const stop = new AbortController()
    const see = () => {
      if (document.visibilityState !== 'visible') return
      stop.abort()
      mutate({ id })
    }
    document.addEventListener('visibilitychange', see, { signal: stop.signal })
    see()
    return () => stop.abort()
  }, [waits, updated_at, id, mutate])
}
