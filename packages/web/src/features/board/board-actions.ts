import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { untilLoaded } from '../../shared/kit/part.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useIsLeft } from '../../shared/kit/use-is-left.ts'
import type { createDeeds } from './board-deeds.ts'
import type { Report } from './bulk-report.tsx'

export type BoardActions = ReturnType<typeof createDeeds>

const loadDeeds = () => untilLoaded(() => import('./board-deeds.ts'))

/** What can be done to one session or many: shown at once, taken back where the server refuses. Loaded after the first paint. */
export function useBoardActions(onReport?: (report: Report) => void): BoardActions {
  const cache = useQueryClient()
  const toasts = useToasts()
  const isLeft = useIsLeft()
  useEffect(() => void loadDeeds(), [])
  return useMemo(() => {
    const load = async () =>
      (await loadDeeds()).createDeeds(cache, toasts, () => (isLeft.current ? undefined : onReport))
    // Each deed gets what its own caller passes.
    type Deed = (...input: readonly unknown[]) => Promise<boolean>
    const deedOf =
      (_: object, name: string | symbol): Deed =>
      async (...input) =>
        ((await load())[name as keyof BoardActions] as Deed)(...input)
    return new Proxy({}, { get: deedOf }) as BoardActions
  }, [cache, toasts, onReport, isLeft])
}
