import type { ReactNode } from 'react'

export type Column<Row> = {
  name: string
  label: string
  cell: (row: Row) => ReactNode
  /** Numbers align right, with digits of equal width. */
  isNumber?: boolean
  /** Hidden on a phone, where the row's other columns must suffice. */
  isMinor?: boolean
  className?: string
}

type TableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}

/** Dense rows of 36 px. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>): ReactNode {
  const cellClass = ({ isNumber, isMinor, className = '' }: Column<Row>) =>
    `${isNumber ? 'tabular text-right' : 'text-left'} ${isMinor ? 'hidden md:table-cell' : ''} ${className}`
  return (
    // The scroller is a region, so that the keyboard can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard.
    <section className="overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table className="w-full border-collapse">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr className="border-line border-b text-muted text-xs">
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`h-8 whitespace-nowrap px-3 font-medium ${cellClass(column)}`}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-line border-b last:border-b-0 hover:bg-hover">
              {columns.map((column) => (
                <td key={column.name} className={`h-9 max-w-96 px-3 py-1 max-md:max-w-52 ${cellClass(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
