import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'

type VirtualListProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string | number
  render: (item: Item, index: number) => ReactNode
  /** The usual height of a row; rows are measured as they appear. */
  rowHeight?: number
  className?: string
}

/** Renders only the rows in sight. It scrolls itself, so its parent must limit its height. */
export function VirtualList<Item>(props: VirtualListProps<Item>): ReactNode {
  const { label, items, keyOf, render, rowHeight = 36, className = '' } = props
  const scroller = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    overscan: 8,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by the keyboard.
    <section ref={scroller} aria-label={label} tabIndex={0} className={`overflow-y-auto ${className}`}>
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index]
          if (item === undefined) return null
          return (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {render(item, index)}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
