import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'

export type NeedsYou = Result<'needs_you.show'>
export type NeedySession = NeedsYou['sessions'][number]

/** The strip above the board shows so many sessions, and the inbox all of them. */
export const mostInStrip = 3

/** Everything that waits for a person, in one read. Held sessions are in it, and are not counted: they go on by themselves. */
export function useNeedsYou(): {
  data: NeedsYou | undefined
  count: number
  isLoading: boolean
  error: unknown
  refetch: () => void
} {
  const { data, isLoading, error, refetch } = useRead('needs_you.show', {})
  return {
    data,
    count: data ? data.sessions_total + data.triggers_total : 0,
    isLoading,
    error,
    refetch: () => void refetch(),
  }
}
