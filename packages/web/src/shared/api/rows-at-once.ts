import type { QueryClient } from '@tanstack/react-query'
import type { Input, OperationName, Result } from './client.ts'
import { keyOf } from './hooks.ts'

type RowOf<Rows> = Rows extends readonly (infer Row extends { id: number })[] ? Row : never
type Row = { id: number }
type Change = { row: Row; next: Row | undefined; index: number }

/**
 * Changes rows in every read of a list before the server has answered a write: to another row, or to `undefined` for one that leaves the
 * list. Returns how to take back these rows and fields: another write may have changed others meanwhile.
 */
export function showInLists<Name extends OperationName, Part extends keyof Result<Name> & string>(
  cache: QueryClient,
  { name, part }: { name: Name; part: Part },
  change: (row: RowOf<Result<Name>[Part]>, input: Input<Name>) => RowOf<Result<Name>[Part]> | undefined,
): () => void {
  type List = { [Each in Part]: Row[] } & { pagination: { total_count: number } }
  const changeRow = change as (row: Row, input: unknown) => Row | undefined // every list with this part has these rows
  const undone = cache.getQueriesData<List>({ queryKey: keyOf(name) }).map(([key, list]) => {
    const changes = (list?.[part] ?? []).flatMap((row, index): Change[] => {
      const next = changeRow(row, key[1])
      return next === row ? [] : [{ row, next, index }]
    })
    const changeOf = new Map(changes.map((each) => [each.row.id, each]))
    const show = (edit: (rows: Row[]) => Row[]) =>
      cache.setQueryData<List>(key, (shown) => {
        if (!shown || changes.length === 0) return shown
        const rows = edit(shown[part])
        const total_count = shown.pagination.total_count + rows.length - shown[part].length
        return { ...shown, [part]: rows, pagination: { ...shown.pagination, total_count } }
      })
    show((rows) => rows.flatMap((row) => (changeOf.has(row.id) ? (changeOf.get(row.id)?.next ?? []) : row)))
    return () =>
      show((rows) => {
        const old = rows.map((row) => ({ ...row, ...oldFields(changeOf.get(row.id)) }))
        for (const { row, next, index } of changes) if (!next) old.splice(index, 0, row)
        return old
      })
  })
  return () => {
    for (const undo of undone) undo()
  }
}

function oldFields({ row, next }: Partial<Change> = {}): object {
  const shown = new Map(Object.entries(next ?? {}))
  return Object.fromEntries(
    Object.entries(row ?? {}).filter(([field, value]) => shown.has(field) && shown.get(field) !== value),
  )
}
