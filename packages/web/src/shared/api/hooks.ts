import {
  keepPreviousData,
  type MutationOptions,
  type Query,
  type QueryClient,
  type QueryFunctionContext,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { useToasts } from '../kit/toasts.tsx'
import { useIsLeft } from '../kit/use-is-left.ts'
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
    ...readOf(name, input),
    enabled: isEnabled,
    // While a filter changes, the old rows stay in place instead of a blank page.
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  }) as UseQueryResult<Result<Name>>
}

/** A read as the cache knows it, for one that begins before its page is there. */
export function readOf<Name extends OperationName>(name: Name, input: Input<Name>) {
  return {
    queryKey: keyOf(name, input),
    queryFn: async ({ signal, client, queryKey }: QueryFunctionContext) => {
      const answer = await call(name, input, { signal })
      // One that was begun at an interval may be older than a write that is shown ahead of the server, and take it back.
      const shown = readsOf(aheadIn(client))({ queryKey }) ? client.getQueryData(queryKey) : undefined
      // `undefined` is no answer to react-query; a read without a body does not exist.
      return shown ?? answer ?? null
    },
  }
}

type WriteOptions<Name extends OperationName> = {
  /** What else shows the changed thing: operations (`sessions.show`) or whole resources (`sessions`). */
  refreshes?: readonly (OperationName | Resource)[]
  /** Shows the change before the server answers. Returns how to take it back if the server refuses, or nothing if it shows nothing. */
  optimistic?(cache: QueryClient, input: Input<Name>): Undo | undefined
  onSuccess?(result: Result<Name>, input: Input<Name>): void
  /**
   * False leaves the error to the component, which shows `error` beside its form: it is a toast only if the component has left the page.
   * `never` is for what no person asked for.
   */
  complains?: boolean | 'never'
  /** Ends with the answer, for one after which another may follow at once. Else the write ends when the page shows what it changed. */
  isDoneWhenAccepted?: boolean
}

type Ends<Name extends OperationName> = {
  onSuccess?(result: Result<Name>): void
  onError?(error: Error): void
}

export type Write<Name extends OperationName> = Pick<
  UseMutationResult<Result<Name>, Error, Input<Name>>,
  'isPending' | 'error' | 'data' | 'reset'
> & {
  /** How this one call ended is said even if its component has left the page, or another call was made meanwhile. */
  mutate(input: Input<Name>, ends?: Ends<Name>): void
}

/** Calls an operation that changes something. Refreshes its own resource; an error appears as a toast. */
export function useWrite<Name extends OperationName>(name: Name, options: WriteOptions<Name> = {}): Write<Name> {
  const { refreshes = [], optimistic, onSuccess, complains = true, isDoneWhenAccepted } = options
  const touched = [name.split('.')[0] as Resource, ...refreshes]
  const cache = useQueryClient()
  const toasts = useToasts()
  const { onSettled, ...ahead } = shownAhead(
    cache,
    touched,
    optimistic && ((input: Input<Name>) => optimistic(cache, input)),
  )
  const isLeft = useIsLeft()
  const mutation = useMutation<Result<Name>, Error, Input<Name>, Shown>({
    mutationFn: (input) => call(name, input),
    ...ahead,
    onSettled: (answer, error, input, shown) => {
      const isShown = onSettled(answer, error, input, shown)
      return isDoneWhenAccepted ? undefined : isShown
    },
    onError: (error) => (complains || isLeft.current) && complains !== 'never' && toasts.complain(error),
    onSuccess: (result, input) => onSuccess?.(result, input),
  })
  const { isPending, error, data, reset, mutateAsync } = mutation
  const last = useRef<string>(undefined)
  const isShownAhead = optimistic !== undefined
  const mutate = useCallback<Write<Name>['mutate']>(
    (input, { onSuccess, onError } = {}) => {
      const sent = JSON.stringify(input)
      // A second press: a button looks busy only after the next paint. What is shown at once is pressed again on purpose.
      if (last.current === sent && !isShownAhead) return
      last.current = sent
      const ended = mutateAsync(input).finally(() => {
        if (last.current === sent) last.current = undefined
      })
      void ended.then(onSuccess, onError ?? (() => undefined))
    },
    [mutateAsync, isShownAhead],
  )
  return { isPending, error, data, reset, mutate }
}

export type Resource = OperationName extends `${infer Each}.${string}` ? Each : never

export function keyOf<Name extends OperationName>(name: Name, input?: Input<Name>): readonly unknown[] {
  return input === undefined ? [name] : [name, input]
}

export type Undo = () => void

/** Kept with its mutation: what it shows that the server has not confirmed yet, and the reads that must not take it back. */
type Shown = { undo: Undo | undefined; ahead: readonly string[] }

function aheadIn(cache: QueryClient): readonly string[] {
  const mutations = cache.getMutationCache().getAll()
  return mutations.flatMap(({ state }) => (state.context as Shown | undefined)?.ahead ?? [])
}

/** Reads again what is on the page of these operations or resources, and marks the rest stale. */
export function refresh(cache: QueryClient, names: readonly string[]): Promise<void> {
  return readAgain(cache, readsOf(names))
}

/** Operations or resources, and the sessions they have changed for; null is every session. */
export type News = ReadonlyMap<string, ReadonlySet<number | null>>

/** The same, without what is read of one session that the news are not about. */
export function refreshAfter(cache: QueryClient, news: News): Promise<void> {
  return readAgain(cache, (query) => {
    const session = Number((query.queryKey[1] as { session_id?: unknown } | undefined)?.session_id)
    // A slug is no number, and could be of any session.
    const isAbout = (sessions: ReadonlySet<number | null>) =>
      !(session > 0) || sessions.has(session) || sessions.has(null)
    return [...news].some(([name, sessions]) => readsOf([name])(query) && isAbout(sessions))
  })
}

/**
 * A mutation that shows a change the server has not confirmed: a read that has begun would take it back, so it is cancelled. The server
 * gets such writes of one resource in the order in which they were chosen.
 */
function shownAhead<Variables>(
  cache: QueryClient,
  touched: readonly string[],
  show: ((input: Variables) => Undo | undefined) | undefined,
) {
  const isTouched = readsOf(touched)
  return {
    ...(show && { scope: { id: String(touched[0]) } }),
    onMutate(input: Variables): Shown {
      const undo = show?.(input)
      if (!undo) return { undo, ahead: [] }
      void cache.cancelQueries({ predicate: (query) => query.state.data !== undefined && isTouched(query) })
      return { undo, ahead: touched }
    },
    onSettled(_: unknown, error: Error | null, __: Variables, shown: Shown | undefined): Promise<void> {
      if (error) shown?.undo?.()
      if (shown) shown.ahead = []
      // A read that was begun before the write ended may be older than it.
      return readAgain(cache, isTouched, { cancelRefetch: true })
    },
  }
}

type OrderedWrite<Answer> = {
  touched: readonly string[]
  /** Without it, the write is sent at once and in no order. */
  show: (() => Undo | undefined) | undefined
  send: () => Promise<Answer>
}

/** A write as `useWrite` makes it, for one that is made of several calls. The caller has its answer before what it touched is read again. */
export function writeInOrder<Answer>(
  cache: QueryClient,
  { touched, show, send }: OrderedWrite<Answer>,
): Promise<Answer> {
  const { onSettled, ...ahead } = shownAhead<void>(cache, touched, show)
  const options: MutationOptions<Answer, Error, void, Shown> = {
    ...ahead,
    mutationFn: send,
    onSettled: (answer, error, input, shown) => void onSettled(answer, error, input, shown),
  }
  return cache.getMutationCache().build(cache, options).execute()
}

function readsOf(names: readonly string[]): (query: Pick<Query, 'queryKey'>) => boolean {
  return ({ queryKey: [key] }) =>
    typeof key === 'string' && names.some((name) => key === name || key.startsWith(`${name}.`))
}

/** Reads again everything that is on the page, and marks the rest stale. */
export function refreshAll(cache: QueryClient): Promise<void> {
  return readAgain(cache, () => true)
}

/** The running reads that one more is to follow, and since when. */
const awaited = new WeakMap<Query, number>()

/** Longer than a read takes with the waits between its attempts: its connection may be dead. */
const hungMs = 120_000

/** Not what a write shows ahead of the server, which is read when the write has ended: the answer might be older and take it back. */
function readAgain(
  cache: QueryClient,
  predicate: (query: Query) => boolean,
  { cancelRefetch = false } = {},
): Promise<void> {
  const isAhead = readsOf(aheadIn(cache))
  const isStale = (query: Query) => predicate(query) && !isAhead(query)
  // A read that has begun may be older than the change. News do not end it, since none would end while they come faster than answers:
  // one more follows it. A first read is never begun again.
  for (const query of cache.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isStale })) {
    if (cancelRefetch && query.state.data !== undefined) continue
    const since = awaited.get(query)
    if (since === undefined) {
      const again = () => {
        awaited.delete(query)
        void readAgain(cache, (each) => each === query)
      }
      // Later: at the end of the promise the query does not have its answer yet.
      const later = () => setTimeout(again)
      void query.promise?.then(later, later)
    } else if (Date.now() - since < hungMs) continue
    else void cache.refetchQueries({ queryKey: query.queryKey, exact: true })
    awaited.set(query, Date.now())
  }
  return cache.invalidateQueries({ predicate: isStale }, { cancelRefetch })
}
