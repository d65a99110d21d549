import {
  keepPreviousData,
  type Query,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useToasts } from '../kit/toasts.tsx'
import { call, type Input, type OperationName, type Result } from './client.ts'

type ReadOptions = {
  /** False waits: for an input that is not known yet. */
  isEnabled?: boolean
  /** For answers that no event announces. */
  everyMs?: number
}

/** Reads an operation and keeps it fresh: `useRead('sessions.list', { status: 'running' })`. */
export function useRead<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { isEnabled = true, everyMs }: ReadOptions = {},
): UseQueryResult<Result<Name>> {
  return useQuery({
    queryKey: keyOf(name, input),
    // `undefined` is no answer to react-query; a read without a body does not exist.
    queryFn: async ({ signal }) => (await call(name, input, { signal })) ?? null,
    enabled: isEnabled,
    // While a filter changes, the old rows stay in place instead of a blank page.
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  }) as UseQueryResult<Result<Name>>
}

type WriteOptions<Name extends OperationName> = {
  /** What else shows the changed thing: operations (`sessions.show`) or whole resources (`sessions`). */
  refreshes?: readonly (OperationName | Resource)[]
  /** Shows the change before the server answers. Returns how to take it back if the server refuses. */
  optimistic?(cache: QueryClient, input: Input<Name>): () => void
  onSuccess?(result: Result<Name>, input: Input<Name>): void
  /** False leaves the error to the caller, who shows `error` beside the form. */
  complains?: boolean
}

/** Calls an operation that changes something. Refreshes its own resource; an error appears as a toast. */
export function useWrite<Name extends OperationName>(
  name: Name,
  options: WriteOptions<Name> = {},
): UseMutationResult<Result<Name>, Error, Input<Name>> {
  const { refreshes = [], optimistic, onSuccess, complains = true } = options
  const cache = useQueryClient()
  const toasts = useToasts()
  return useMutation<Result<Name>, Error, Input<Name>, { undo: (() => void) | undefined }>({
    mutationFn: (input) => call(name, input),
    onMutate: (input) => ({ undo: optimistic?.(cache, input) }),
    onError: (error, _, context) => {
      context?.undo?.()
      if (complains) toasts.complain(error)
    },
    onSuccess: (result, input) => onSuccess?.(result, input),
    onSettled: () => refresh(cache, [name.split('.')[0] as Resource, ...refreshes]),
  })
}

export type Resource = OperationName extends `${infer Each}.${string}` ? Each : never

export function keyOf<Name extends OperationName>(name: Name, input?: Input<Name>): readonly unknown[] {
  return input === undefined ? [name] : [name, input]
}

/** Reads again what is on the page of these operations or resources, and marks the rest stale. */
export function refresh(cache: QueryClient, names: readonly string[]): Promise<void> {
  return readAgain(
    cache,
    ({ queryKey: [key] }) =>
      typeof key === 'string' && names.some((name) => key === name || key.startsWith(`${name}.`)),
  )
}

/** Reads again everything that is on the page, and marks the rest stale. */
export function refreshAll(cache: QueryClient): Promise<void> {
  return readAgain(cache, () => true)
}

const awaited = new WeakSet<Query>()

function readAgain(cache: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  // The first read of a query is not begun again, and its answer counts as fresh though it may be older than the change.
  for (const query of cache.getQueryCache().findAll({ fetchStatus: 'fetching', predicate })) {
    if (query.state.data !== undefined || awaited.has(query)) continue
    awaited.add(query)
    const again = () => {
      awaited.delete(query)
      void cache.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    // Later: at the end of the promise the query does not have its answer yet.
    const later = () => setTimeout(again)
    void query.promise?.then(later, later)
  }
  return cache.invalidateQueries({ predicate })
}
