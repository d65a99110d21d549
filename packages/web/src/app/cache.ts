import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut, viewerKey, viewerQuery } from '../shared/api/viewer.ts'

export const cache: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The sign-in has ended elsewhere: the shell reads who is signed in, and shows the sign-in page.
    onError: (error, { queryKey }) => {
      if (isSignedOut(error) && queryKey[0] !== viewerKey[0]) void cache.invalidateQueries({ queryKey: viewerKey })
    },
  }),
  defaultOptions: {
    queries: {
      // The client repeats what can be repeated, and events say what has changed.
      retry: false,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      // The browser is offline without a network, but a server on this machine is still there. Whether it is, a request tells.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})

// Every page waits for it, and it needs nothing of the page.
void cache.prefetchQuery(viewerQuery)
