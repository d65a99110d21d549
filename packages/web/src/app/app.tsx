import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CommandsProvider } from '../shared/keys/commands.tsx'
import { cache } from './cache.ts'
import { router } from './router.tsx'

export function App(): ReactNode {
  return (
    <QueryClientProvider client={cache}>
      <CommandsProvider>
        <RouterProvider router={router} />
      </CommandsProvider>
    </QueryClientProvider>
  )
}
