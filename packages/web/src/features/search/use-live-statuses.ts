import { useQueryClient } from '@tanstack/react-query'
import type { Result } from '../../shared/api/client.ts'
import { keyOf } from '../../shared/api/hooks.ts'
import { useLiveEvent } from '../../shared/live/live.tsx'

type Found = Result<'sessions.search'>

/** Hits show their status as it changes. The search is not made again for it: reading transcripts takes seconds. */
export function useLiveStatuses(): void {
  const cache = useQueryClient()
  useLiveEvent('session.status_changed', ({ data: { session_id, to } }) => {
    for (const query of cache.getQueryCache().findAll({ queryKey: keyOf('sessions.search') })) {
      const show = () =>
        cache.setQueryData<Found>(query.queryKey, (found) => {
          if (!found?.sessions.some(({ id }) => id === session_id)) return found
          const sessions = found.sessions.map((each) => (each.id === session_id ? { ...each, status: to } : each))
          return { ...found, sessions }
        })
      show()
      // A search that is on its way may have read the old status. At the end of the promise the query does not have its answer yet.
      const later = () => setTimeout(show)
      if (query.state.fetchStatus === 'fetching') void query.promise?.then(later, later)
    }
  })
}
