import { useCallback, useMemo, useRef, useState } from 'react'
import type { BoardCard } from './board-cache.ts'

type Row = { card: BoardCard }

/** The rows a person picked. A range goes from the last pick to the clicked row. Rows that left the board drop out. */
export function useSelection(rows: readonly Row[]): {
  ids: ReadonlySet<number>
  cards: readonly BoardCard[]
  select: (id: number, isRange: boolean) => void
  toggle: (id: number) => void
  add: (ids: readonly number[]) => void
  clear: () => void
} {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const last = useRef<number>(undefined)
  const latest = useRef(rows)
  latest.current = rows
  const select = useCallback((id: number, isRange: boolean) => {
    const order = latest.current.map(({ card }) => card.id)
    const [from, to] = [order.indexOf(last.current ?? id), order.indexOf(id)]
    last.current = id
    setIds((before) => {
      const next = new Set(before)
      if (isRange && from !== -1)
        for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each)
      else if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const toggle = useCallback((id: number) => select(id, false), [select])
  const add = useCallback((more: readonly number[]) => setIds((before) => new Set([...before, ...more])), [])
  const clear = useCallback(() => setIds((before) => (before.size === 0 ? before : new Set())), [])
  const cards = useMemo(() => rows.map(({ card }) => card).filter(({ id }) => ids.has(id)), [rows, ids])
  return { ids, cards, select, toggle, add, clear }
}
