import { type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Problem } from '@yardmaster/client/client'
import { call, type Result } from './client.ts'

/** Who uses this browser, and whether they had to sign in. */
export type Viewer = Result<'browser_session.show'>['session']

export const viewerKey = ['browser_session.show'] as const

/** Who is signed in; null when no one is. */
export const viewerQuery = { queryKey: viewerKey, queryFn: readViewer, staleTime: 5 * 60_000 }

export function useViewer(): UseQueryResult<Viewer | null> {
  return useQuery(viewerQuery)
}

/** After a write that answered with the session: signing in, giving a name. */
export function setViewer(cache: QueryClient, { session }: { session: Viewer }): void {
  cache.setQueryData(viewerKey, session)
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === 401
}

async function readViewer(): Promise<Viewer | null> {
  try {
    return (await call('browser_session.show', {})).session
  } catch (error) {
    if (isSignedOut(error)) return null
    throw error
  }
}
