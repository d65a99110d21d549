import { type RefObject, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'

/** Rows beyond the edges, so that a quick scroll shows no blank. */
const spare = 8

type Rows = {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLUListElement | null>
  /** The rows to render, from `first` up to but not including `end`. */
  first: number
  end: number
  startOf: (index: number) => number
  total: number
  show: (index: number) => void
}

/**
 * Which rows of known heights are in sight. A library that measures rows is as large as the whole board; here every height is
 * known before.
 */
export function useWindow(count: number, heightOf: (index: number) => number): Rows {
  const scroller = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const starts = useMemo(() => {
    const all = [0]
    for (let index = 0; index < count; index += 1) all.push((all[index] ?? 0) + heightOf(index))
    return all
  }, [count, heightOf])
  const [seen, setSeen] = useState({ from: 0, to: 1_000 })
  useEffect(() => {
    const { current: box } = scroller
    if (!box) return
    const look = () => {
      const from = box.scrollTop - (list.current?.offsetTop ?? 0)
      const to = from + box.clientHeight
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }))
    }
    look()
    box.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    // What is above the list moves it when it grows.
    for (const each of [box, ...box.children]) observer.observe(each)
    return () => {
      box.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [])
  const show = useCallback(
    (index: number) => {
      const { current: box } = scroller
      if (!box) return
      const offset = list.current?.offsetTop ?? 0
      const [top, bottom] = [offset + (starts[index] ?? 0), offset + (starts[index + 1] ?? 0)]
      if (top < box.scrollTop) box.scrollTop = index === 0 ? 0 : top
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
    },
    [starts],
  )
  return {
    scroller,
    list,
    first: Math.max(0, rowAt(starts, seen.from) - spare),
    end: Math.min(count, rowAt(starts, seen.to) + 1 + spare),
    startOf: (index) => starts[index] ?? 0,
    total: starts[count] ?? 0,
    show,
  }
}

/** The row that covers a height, found by halving. */
function rowAt(starts: readonly number[], height: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}

const oneLine = matchMedia('(min-width: 48rem)')
const besides = matchMedia('(min-width: 64rem)')

/** Whether a row is one line; on a phone it is two. */
export function useIsWide(): boolean {
  return useMatch(oneLine)
}

/** Whether there is room for a session beside the board. */
export function useHasDrawer(): boolean {
  return useMatch(besides)
}

function useMatch(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
}
