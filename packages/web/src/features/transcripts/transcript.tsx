import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { part } from '../../shared/kit/part.tsx'
import { type OpenRows, OpenRowsContext, ScopeContext } from './open-rows.ts'
import { keepEqual, type Row, rowIndexOf, rowsOf } from './rows.ts'
import { TranscriptRow } from './transcript-row.tsx'
import type { Turn } from './turns.ts'
import type { Entries } from './use-entries.ts'

const FoundMarks = part(() => import('./found-marks.ts'))

/** A jump to an entry; a new object is a new jump, also to the same entry. */
export type Target = { sequence: number }

type TranscriptProps = {
  sessionId: string
  entries: Entries
  turns: readonly Turn[]
  isWorking: boolean
  target: Target | undefined
  /** Marked where it occurs. */
  phrase: string
  onFork: (sequence: number) => void
}

/** Within this distance of the end, new entries are followed. */
const endPx = 48
/** More is loaded when fewer rows than this are left before an edge. */
const margin = 4

export function Transcript(props: TranscriptProps): ReactNode {
  const { sessionId, entries, turns, isWorking, target, phrase, onFork } = props
  const { loaded, error, isAtTail, isLoadingOlder } = entries
  const rows = useRows(entries)
  const turnsByNumber = useMemo(() => new Map(turns.map((turn) => [turn.number, turn])), [turns])
  const scroller = useRef<HTMLElement>(null)
  const wasAtTail = useRef(true)
  const reached = useRef<Target>(undefined)
  const open = useOpenRows()
  const isJumping = target !== undefined && reached.current !== target

  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 20,
    anchorTo: 'end',
    // A page that was missing at the end is read on from where one was; only what is new is followed.
    followOnAppend: wasAtTail.current && isAtTail && !isJumping,
    scrollEndThreshold: endPx,
  })
  useLayoutEffect(() => {
    if (loaded) wasAtTail.current = isAtTail
  }, [loaded, isAtTail])

  const isShown = loaded !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the list appears.
  useLayoutEffect(() => {
    if (isShown && !isJumping) list.scrollToEnd()
  }, [isShown])

  const { openTo } = open
  useEffect(() => {
    if (!target || reached.current === target || rows.length === 0) return
    const index = rowIndexOf(rows, target.sequence)
    const row = rows[index]
    const [first, last] = [loaded?.entries[0]?.sequence ?? 0, loaded?.entries.at(-1)?.sequence ?? 0]
    if (!row || target.sequence < first || target.sequence > last) return
    reached.current = target
    openTo(row, target.sequence)
    list.scrollToIndex(index, { align: 'start' })
  }, [target, rows, loaded, list, openTo])

  const { isAtEnd, unseen, see } = useSeen(scroller, entries)
  const shown = list.getVirtualItems()
  useMoreAtEdges({ entries, first: shown[0]?.index, last: shown.at(-1)?.index, count: rows.length, scroller })
  useStayAtEnd(scroller, loaded !== undefined)

  const jumpToEnd = async () => {
    await entries.goToEnd()
    see()
    requestAnimationFrame(() => list.scrollToEnd())
  }
  const scope = useMemo(() => ({ sessionId, thread: 'main', isWorking, onFork }), [sessionId, isWorking, onFork])
  if (!loaded) return error ? <Failed error={error} onRetry={entries.catchUp} /> : <Loading />
  return (
    <ScopeContext value={scope}>
      <OpenRowsContext value={open}>
        <div className="relative flex min-h-0 grow flex-col">
          {phrase && <FoundMarks {...{ scroller, phrase, shown }} />}
          <section
            ref={scroller}
            aria-label="Transcript"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by the keyboard.
            tabIndex={0}
            className="min-h-0 grow overflow-y-auto overflow-x-hidden [overflow-anchor:none]"
          >
            {rows.length === 0 && (
              <EmptyState icon="message-square" title={isWorking ? 'The agent starts' : 'Nothing was said yet'}>
                What the agent does appears here.
              </EmptyState>
            )}
            <ol className="relative" style={{ height: list.getTotalSize() }}>
              {shown.map(({ key, index, start }) => {
                const row = rows[index]
                if (!row) return null
                const isTarget =
                  target && row.type !== 'turn' && row.first <= target.sequence && target.sequence <= row.last
                return (
                  <li
                    key={key}
                    ref={list.measureElement}
                    data-index={index}
                    data-first={row.first}
                    className="absolute inset-x-0 top-0"
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <div className="mx-auto max-w-3xl px-3 py-1 md:px-5">
                      <div className={isTarget ? 'rounded-md shadow-[0_0_0_4px_var(--color-needs-soft)]' : ''}>
                        <TranscriptRow
                          row={row}
                          isLast={index === rows.length - 1}
                          turn={row.type === 'turn' ? turnsByNumber.get(row.number) : undefined}
                          newestTurn={turns[0]?.number ?? 0}
                        />
                      </div>
                    </div>
                  </li>
                )
              })}
            </ol>
          </section>
          {isLoadingOlder && (
            <p
              role="status"
              className="-translate-x-1/2 absolute top-2 left-1/2 rounded-full bg-raised px-3 py-1 text-muted text-sm shadow-float"
            >
              Reading earlier entries
            </p>
          )}
          {error !== undefined && (
            <div className="absolute inset-x-3 top-2">
              <ErrorNote error={error} onRetry={entries.catchUp} />
            </div>
          )}
          {!isAtEnd && (
            <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
              <Button icon="arrow-down" className="pointer-events-auto rounded-full shadow-float" onClick={jumpToEnd}>
                {unseen > 0 ? `${unseen.toLocaleString()} new · jump to end` : 'Jump to end'}
              </Button>
            </div>
          )}
        </div>
      </OpenRowsContext>
    </ScopeContext>
  )
}

function useRows({ loaded, hasOlder }: Entries): readonly Row[] {
  const before = useRef<readonly Row[]>([])
  const rows = useMemo(() => keepEqual(rowsOf(loaded?.entries ?? [], { hasOlder }), before.current), [loaded, hasOlder])
  useLayoutEffect(() => {
    before.current = rows
  }, [rows])
  return rows
}

function Loading(): ReactNode {
  return (
    <div className="min-h-0 grow overflow-hidden">
      <Skeleton rows={10} />
    </div>
  )
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactNode {
  return (
    <div className="grow p-4">
      <ErrorNote error={error} onRetry={onRetry} />
    </div>
  )
}

function useOpenRows(): OpenRows & { openTo(row: Row, sequence: number): void } {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const openTo = useCallback((row: Row, sequence: number) => {
    if (row.type !== 'tools') return
    const item = row.items.find(
      (one) => one.sequence === sequence || (one.kind === 'call' && one.result?.sequence === sequence),
    )
    setKeys((old) => new Set([...old, row.key, ...(item ? [`c${item.key}`] : [])]))
  }, [])
  return useMemo(
    () => ({
      isOpen: (key: string) => keys.has(key),
      toggle: (key: string) =>
        setKeys((old) => (old.has(key) ? new Set([...old].filter((one) => one !== key)) : new Set([...old, key]))),
      openTo,
    }),
    [keys, openTo],
  )
}

/** Whether the end is in sight, and how many entries came since it last was. */
function useSeen(scroller: React.RefObject<HTMLElement | null>, { loaded, isAtTail }: Entries) {
  const [isNearEnd, setNearEnd] = useState(true)
  const [seen, setSeen] = useState<number>()
  const total = loaded?.total
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded below moves the end without a scroll.
  useEffect(() => {
    const { current } = scroller
    if (!current) return
    const look = () => setNearEnd(current.scrollHeight - current.scrollTop - current.clientHeight <= endPx)
    look()
    current.addEventListener('scroll', look, { passive: true })
    return () => current.removeEventListener('scroll', look)
  }, [scroller, loaded])
  const isAtEnd = isNearEnd && isAtTail
  useEffect(() => {
    if (total !== undefined && (isAtEnd || seen === undefined)) setSeen(total)
  }, [isAtEnd, total, seen])
  return { isAtEnd, unseen: Math.max(0, (total ?? 0) - (seen ?? total ?? 0)), see: () => setNearEnd(true) }
}

/** A card or a keyboard that appears below makes the list shorter: who was at its end stays there. */
function useStayAtEnd(scroller: React.RefObject<HTMLElement | null>, isReady: boolean): void {
  useEffect(() => {
    const { current } = scroller
    if (!current || !isReady) return
    let height = current.clientHeight
    const observer = new ResizeObserver(() => {
      const shrunk = height - current.clientHeight
      height = current.clientHeight
      const left = current.scrollHeight - current.scrollTop - current.clientHeight
      if (shrunk > 0 && left - shrunk <= endPx) current.scrollTop += left
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [scroller, isReady])
}

type Edges = {
  entries: Entries
  first: number | undefined
  last: number | undefined
  count: number
  scroller: React.RefObject<HTMLElement | null>
}

/** Loads more when the reader comes near an edge. Not before they scrolled: the first rows appear above the end. */
function useMoreAtEdges({ entries, first, last, count, scroller }: Edges): void {
  const [hasSettled, setSettled] = useState(false)
  const { loaded, error, hasOlder, isAtTail, isLoadingOlder, loadOlder, loadNewer } = entries
  const isLoaded = loaded !== undefined
  useEffect(() => {
    if (!isLoaded) return
    const timer = setTimeout(() => setSettled(true), 300)
    return () => clearTimeout(timer)
  }, [isLoaded])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of what is loaded is looked at again.
  useEffect(() => {
    // What failed waits for `Try again` or for a read that succeeds: at once it would fail again.
    if (error || !hasSettled || !scroller.current || first === undefined || last === undefined) return
    if (hasOlder && !isLoadingOlder && first <= margin) loadOlder()
    else if (!isAtTail && last >= count - margin) loadNewer()
  }, [error, hasSettled, first, last, count, loaded, hasOlder, isAtTail])
}

const heights: Record<Row['type'], number> = { turn: 44, message: 110, tools: 36, subagent: 40, block: 36 }

function estimate(row: Row | undefined): number {
  if (!row) return heights.tools
  if (row.type !== 'message') return heights[row.type]
  return 44 + Math.ceil(Math.min(row.text.part.text.length, 4_000) / 90) * 21
}
