import type { ReactNode } from 'react'

type BarListProps<Row> = {
  caption: string
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  label: (row: Row) => ReactNode
  /** Further text before the number: calls, tokens. */
  note?: (row: Row) => ReactNode
  value: (row: Row) => number
  format: (value: number) => string
}

/** A ranked list: each row's bar is its part of the largest. The numbers stand beside the bars, so no table is needed behind. */
export function BarList<Row>({ caption, rows, keyOf, label, note, value, format }: BarListProps<Row>): ReactNode {
  const most = Math.max(...rows.map(value), 0) || 1
  return (
    <ol aria-label={caption} className="flex flex-col py-1">
      {rows.map((row) => (
        <li key={keyOf(row)} className="relative flex min-h-8 items-center gap-3 px-3">
          <span
            aria-hidden="true"
            className="absolute inset-y-0.5 left-1.5 rounded-sm bg-selected"
            style={{ width: `calc((100% - 0.75rem) * ${value(row) / most})` }}
          />
          <span className="relative min-w-0 grow truncate">{label(row)}</span>
          {note && (
            <span className="tabular relative hidden whitespace-nowrap text-muted text-sm md:inline">{note(row)}</span>
          )}
          <span className="tabular relative w-20 shrink-0 text-right font-medium">{format(value(row))}</span>
        </li>
      ))}
    </ol>
  )
}
