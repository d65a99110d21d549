import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { isSignedOut, viewerKey } from '../shared/api/viewer.ts'
import { CommandsProvider } from '../shared/keys/commands.tsx'
import { router } from './router.tsx'

const Tooltips = lazy(() => import('../shared/kit/tooltips.tsx'))

export function App(): ReactNode {
  const [cache] = useState(createCache)
  return (
    <QueryClientProvider client={cache}>
      <CommandsProvider>
        <RouterProvider router={router} />
        <Suspense>
          <Tooltips />
        </Suspense>
      </CommandsProvider>
    </QueryClientProvider>
  )
}

function createCache(): QueryClient {
  const cache: QueryClient = new QueryClient({
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
      },
    },
  })
  return cache
}
