import type { QueryClient } from '@tanstack/react-query'
import type { Input, OperationName, Result } from './client.ts'
import { keyOf, type Undo } from './hooks.ts'

/**
 * Changes fields of what a read shows before the server has answered a write. Returns how to take back these fields, since another
 * write may have changed others meanwhile, or nothing if none is shown.
 */
export function showAtOnce<Name extends OperationName, Part extends keyof Result<Name> & string>(
  cache: QueryClient,
  { name, input, part }: { name: Name; input: Input<Name>; part: Part },
  changes: Partial<Result<Name>[Part]>,
): Undo | undefined {
  type Shown = Record<string, object> | undefined
  const key = keyOf(name, input)
  const show = (fields: object) =>
    cache.setQueryData<Shown>(key, (shown) => shown && { ...shown, [part]: { ...shown[part], ...fields } })
  const old = Object.entries(cache.getQueryData<Shown>(key)?.[part] ?? {}).filter(([field]) => field in changes)
  if (old.length === 0) return undefined
  show(changes)
  return () => show(Object.fromEntries(old))
}
