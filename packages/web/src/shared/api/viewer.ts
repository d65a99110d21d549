import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type BrowserSession, readBrowserSession } from './web-session.ts'

export const viewerKey = ['web.session'] as const

/** Who is signed in; null when no one is. */
export function useViewer(): UseQueryResult<BrowserSession | null> {
  return useQuery({ queryKey: viewerKey, queryFn: readBrowserSession, staleTime: 5 * 60_000 })
}
