import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { MenuItem } from '../../shared/kit/menu.tsx'
import { part } from '../../shared/kit/part.tsx'
import { useNow } from '../../shared/kit/time.tsx'
import type { BoardCard, BoardSection } from './board-cache.ts'
import { BoardRow } from './board-row.tsx'
import type { createDrag } from './drag.ts'
import type { RowDeeds } from './row-menu.ts'
import { SectionHeading } from './section-heading.tsx'
import type { Further } from './use-long-sections.tsx'
import { useIsWide, useWindow } from './use-window.ts'

const GateLine = part(() => import('./gate-line.tsx'))
const MoreRow = part(() => import('./more-row.tsx'))

export type BoardItem =
  | { kind: 'section'; key: string; section: BoardSection; isCollapsed: boolean }
  | { kind: 'more'; key: string; section: BoardSection; further: Further | undefined }
  | { kind: 'gate'; key: string; held: NonNullable<BoardCard['held']> }
  | { kind: 'card'; key: string; card: BoardCard; sectionKey: string; leaving: string | undefined }

type BoardListProps = {
  items: readonly BoardItem[]
  /** Above the first section, and scrolls with it. */
  top: ReactNode
  cursor: number | undefined
  selected: ReadonlySet<number>
  onCursor: (id: number) => void
  onSelect: (id: number, isRange: boolean) => void
  onToggle: (sectionKey: string) => void
  /** Reads the next cards of a section, or again those that could not be read. */
  onMore: (sectionKey: string) => void
  menuOf: ((section: BoardSection) => Promise<readonly MenuItem[]>) | undefined
  deeds: RowDeeds
  drag: ReturnType<typeof createDrag> | undefined
}

const lineHeight = 36
const twoLines = 56

/** Renders the rows in sight, however many sessions there are. */
export function BoardList(props: BoardListProps): ReactNode {
  const { items, top, cursor, selected, onCursor, onSelect, onToggle, onMore, menuOf, deeds, drag } = props
  const now = useNow(15_000)
  const isWide = useIsWide()
  const heightOf = useCallback(
    (index: number) => (isWide || items[index]?.kind !== 'card' ? lineHeight : twoLines),
    [items, isWide],
  )
  const { scroller, list, first, end, startOf, total, show } = useWindow(items.length, heightOf)
  const at = items.findIndex((item) => item.kind === 'card' && item.card.id === cursor)
  const shown = useRef(cursor)
  // The cursor moved by a key: it comes into sight and takes the focus, so that Enter opens it.
  useEffect(() => {
    if (at === -1 || cursor === shown.current) return
    shown.current = cursor
    show(at)
    const frame = requestAnimationFrame(() => {
      const row = scroller.current?.querySelector(`[data-session="${cursor}"]`)
      // A menu that opened meanwhile would close if it lost the focus.
      if (row?.contains(document.activeElement) || document.activeElement?.closest('[role=menu], dialog')) return
      row?.querySelector('a')?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [at, cursor, show, scroller])
  const render = (item: BoardItem): ReactNode => {
    if (item.kind === 'more') return <MoreRow section={item.section} further={item.further} onMore={onMore} />
    if (item.kind === 'gate') return <GateLine held={item.held} />
    if (item.kind === 'section') {
      const { section, isCollapsed } = item
      return (
        <SectionHeading
          section={section}
          isCollapsed={isCollapsed}
          onToggle={() => onToggle(section.key)}
          menuOf={menuOf}
          attach={drag?.attachSection}
        />
      )
    }
    return (
      <BoardRow
        card={item.card}
        sectionKey={item.sectionKey}
        leaving={item.leaving}
        now={now}
        isAtCursor={item.card.id === cursor}
        isSelected={selected.has(item.card.id)}
        isSelecting={selected.size > 0}
        isTapSelecting={selected.size > 0 && !isWide}
        onSelect={onSelect}
        onCursor={onCursor}
        deeds={deeds}
        attach={drag?.attachRow}
      />
    )
  }
  return (
    <section ref={scroller} aria-label="Sessions" className="@container relative min-h-0 min-w-0 grow overflow-y-auto">
      <div>{top}</div>
      <ul ref={list} className="relative" style={{ height: total }}>
        {items.slice(first, end).map((item, index) => (
          <li
            key={item.key}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${startOf(first + index)}px)` }}
          >
            {render(item)}
          </li>
        ))}
      </ul>
    </section>
  )
}
