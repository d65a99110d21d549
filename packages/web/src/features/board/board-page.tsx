import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { useTitle } from '../../shared/kit/page.tsx'
import { part, untilLoaded } from '../../shared/kit/part.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { StripSpace } from '../needs-you/strip-space.tsx'
import { useNeedsYou } from '../needs-you/use-needs-you.ts'
import { type BoardActions, useBoardActions } from './board-actions.ts'
import type { BoardCard, BoardSection } from './board-cache.ts'
import { type BoardItem, BoardList } from './board-list.tsx'
import { leavingWords } from './board-row.tsx'
import { type BoardSearch, isFiltered, queryOf, viewOf } from './board-search.ts'
import { BoardToolbar } from './board-toolbar.tsx'
import type { Report } from './bulk-report.tsx'
import type { CategoryDialogState } from './category-menu.ts'
import { useCollapsed } from './collapsed.ts'
import type { createDrag } from './drag.ts'
import { keepFilters } from './kept-filters.ts'
import { useLingering } from './leaving.ts'
import { rememberOrder } from './list-order.ts'
import type { CardPlace } from './move-card.ts'
import type { RowDeeds, RowDialog } from './row-menu.ts'
import { isParked } from './row-words.ts'
import { type Further, useLongSections } from './use-long-sections.tsx'
import { useSelection } from './use-selection.ts'
import { useHasDrawer } from './use-window.ts'

const SessionDrawer = part(() => import('../sessions/session-drawer.tsx'))
const QuickPrompt = part(() => import('./quick-prompt.tsx'), <div className="h-9" />)
const NeedsYouStrip = part(() => import('../needs-you/needs-you-strip.tsx'), <StripSpace />)
const BoardKeys = part(() => import('./board-keys.ts'))
const NoSessions = part(() => import('./no-sessions.tsx'))
const BulkBar = part(() => import('./bulk-bar.tsx'))
const BulkReport = part(() => import('./bulk-report.tsx'))
const RowDialogs = part(() => import('./row-dialogs.tsx'))
const CategoryDialog = part(() => import('./category-dialog.tsx'))

/** What no event announces (a snooze that ends) is read again so often. */
const readEveryMs = 60_000

/** What needs a person on top, then every session. */
export default function BoardPage(): ReactNode {
  useTitle('Board')
  const search = useSearch({ from: '/shell/' })
  const query = queryOf(search, useViewer().data?.person_key ?? undefined)
  const board = useRead('board.show', query, { everyMs: readEveryMs })
  const { board: whole, showMore, furtherOf, readers } = useLongSections(board.data, query)
  const { sections, isGone } = useLingering(
    { data: whole, isPlaceholderData: board.isPlaceholderData },
    JSON.stringify(query),
  )
  useEffect(() => keepFilters(search), [search])
  const [collapsed, toggleSection] = useCollapsed()
  // While another query is read, the rows are those of the one before.
  const read = useRef(search)
  if (!board.isPlaceholderData) read.current = search
  const shown = read.current
  const items = useMemo(
    () => itemsOf(sections, { collapsed, search: shown, isGone, furtherOf }),
    [sections, collapsed, shown, isGone, furtherOf],
  )
  const rows = useMemo(() => items.filter((item) => item.kind === 'card'), [items])
  const [cursor, setCursor] = useState<number>()
  const selection = useSelection(rows)
  const [report, setReport] = useState<Report>()
  const [dialog, setDialog] = useState<{ kind: RowDialog; cards: readonly BoardCard[] }>()
  const [categoryDialog, setCategoryDialog] = useState<CategoryDialogState>()
  const actions = useBoardActions(setReport)
  const isByHand = board.data?.view === 'categories'
  const isRanked = board.data?.view === 'ranked'
  const menus = useSectionMenus(sections, setCategoryDialog, selection.add)
  const openDialog = useCallback((kind: RowDialog, cards: readonly BoardCard[]) => setDialog({ kind, cards }), [])
  const { move, step } = useMoves(sections, actions, isRanked)
  const drawer = useDrawer(search)
  const deeds = useMemo<RowDeeds>(
    () => ({
      actions,
      openDialog,
      peek: drawer.peek,
      select: selection.toggle,
      ...((isByHand || isRanked) && { step }),
    }),
    [actions, openDialog, drawer.peek, selection.toggle, isByHand, isRanked, step],
  )
  const drag = useDrag(isByHand ? 'anywhere' : isRanked ? 'inside' : undefined, rows, move, menus.putBefore)
  const latestRows = useLatest(rows)
  useEffect(() => () => rememberOrder(latestRows.current.map(({ card }) => card.id)), [latestRows])
  return (
    <div className="flex min-h-0 grow flex-col">
      <h1 className="unseen">Board</h1>
      <div className="flex shrink-0 flex-col gap-2 border-line border-b bg-canvas px-3 py-2.5 md:px-4">
        <QuickPrompt />
        <BoardToolbar search={search} />
      </div>
      {board.error && !board.data && (
        <div className="p-4">
          <ErrorNote error={board.error} onRetry={() => board.refetch()} />
        </div>
      )}
      {board.isLoading && <Skeleton rows={14} />}
      {board.data && (
        <div className="flex min-h-0 grow">
          <BoardList
            items={items}
            top={<Top search={shown} isEmpty={board.data.total === 0 && rows.length === 0} />}
            cursor={cursor}
            selected={selection.ids}
            onCursor={setCursor}
            onSelect={selection.select}
            onToggle={toggleSection}
            onMore={showMore}
            menuOf={isByHand ? menus.menuOf : undefined}
            deeds={deeds}
            drag={drag}
          />
          {drawer.id !== undefined && <SessionDrawer id={String(drawer.id)} onClose={drawer.close} />}
        </div>
      )}
      {readers}
      <BoardKeys
        rows={rows}
        cursor={cursor}
        setCursor={setCursor}
        selected={selection.cards}
        toggle={selection.toggle}
        clear={() => (selection.cards.length > 0 ? selection.clear() : drawer.close())}
        deeds={deeds}
      />
      {report && <BulkReport report={report} onClose={() => setReport(undefined)} />}
      {selection.cards.length > 0 && (
        <BulkBar cards={selection.cards} actions={actions} openDialog={openDialog} onDone={selection.clear} />
      )}
      {dialog && (
        <RowDialogs
          kind={dialog.kind}
          cards={dialog.cards}
          actions={actions}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined)
            selection.clear()
          }}
        />
      )}
      {categoryDialog && <CategoryDialog state={categoryDialog} onClose={() => setCategoryDialog(undefined)} />}
    </div>
  )
}

type Showing = {
  collapsed: ReadonlySet<string>
  search: BoardSearch
  isGone: (id: number) => boolean
  furtherOf: (section: string) => Further | undefined
}

function itemsOf(
  sections: readonly BoardSection[],
  { collapsed, search, isGone, furtherOf }: Showing,
): readonly BoardItem[] {
  const items: BoardItem[] = []
  for (const section of sections) {
    // The views by time have one section, which needs no name.
    const hasHeading = section.key !== 'all'
    const isCollapsed = hasHeading && collapsed.has(section.key)
    // A category without a match says nothing about the matches, and a board without sessions and categories has nothing to head.
    if (section.cards.length === 0 && (isFiltered(search) || sections.length === 1)) continue
    if (hasHeading) items.push({ kind: 'section', key: section.key, section, isCollapsed })
    if (isCollapsed) continue
    // In the order in which turns start, the first that is held has the others behind it.
    const gate = section.key === 'queue' && section.cards.find((card) => card.held && !isParked(card))
    for (const card of section.cards) {
      if (card === gate && card.held) items.push({ kind: 'gate', key: 'gate', held: card.held })
      const words = leavingWords(card, search)
      const leaving = words ?? (isGone(card.id) ? 'left this view' : undefined)
      items.push({ kind: 'card', key: `session ${card.id}`, card, sectionKey: section.key, leaving })
    }
    if (section.shown < section.total) {
      items.push({ kind: 'more', key: `${section.key} more`, section, further: furtherOf(section.key) })
    }
  }
  return items
}

function Top({ search, isEmpty }: { search: BoardSearch; isEmpty: boolean }): ReactNode {
  const hasFilter = isFiltered(search)
  const hasNeeds = (useNeedsYou().data?.sessions.length ?? 0) > 0
  return (
    <>
      {!hasFilter && hasNeeds && <NeedsYouStrip />}
      {isEmpty && <NoSessions hasFilter={hasFilter} />}
    </>
  )
}

/** The session beside the board. A window that is too narrow for both shows its page instead. */
function useDrawer(search: BoardSearch): { id: number | undefined; peek: (id: number) => void; close: () => void } {
  const navigate = useNavigate()
  const hasRoom = useHasDrawer()
  const latest = useLatest({ search, hasRoom })
  const peek = useCallback(
    (id: number) => {
      const { search, hasRoom } = latest.current
      if (hasRoom) void navigate({ to: '/', search: { ...search, open: id }, replace: true })
      else void navigate({ to: '/sessions/$id', params: { id: String(id) } })
    },
    [navigate, latest],
  )
  const close = () => {
    if (search.open !== undefined) void navigate({ to: '/', search: viewOf(search), replace: true })
  }
  return { id: hasRoom ? search.open : undefined, peek, close }
}

/** The menus are loaded when the first one opens. */
function useSectionMenus(
  sections: readonly BoardSection[],
  open: (dialog: CategoryDialogState) => void,
  selectAll: (ids: readonly number[]) => void,
) {
  const cache = useQueryClient()
  const toasts = useToasts()
  const latest = useLatest({ sections, open, selectAll, cache, toasts })
  return useMemo(() => {
    const load = async () => (await untilLoaded(() => import('./category-menu.ts'))).createSectionMenus(latest.current)
    return {
      menuOf: async (section: BoardSection) => (await load()).menuOf(section),
      putBefore: async (key: string, beforeKey: string) => (await load()).putBefore(key, beforeKey),
    }
  }, [latest])
}

type Move = (card: BoardCard, to: CardPlace) => void

/** To another place by the pointer, or one place up or down as the keyboard and the menu do it. */
function useMoves(sections: readonly BoardSection[], actions: BoardActions, isRanked: boolean) {
  return useMemo(() => {
    const board = { sections, isRanked }
    const move: Move = (card, to) => void actions.move(card, to, board)
    const step: RowDeeds['step'] = (card, sectionKey, by) => void actions.step(card, sectionKey, by, board)
    return { move, step }
  }, [sections, actions, isRanked])
}

function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value)
  latest.current = value
  return latest
}

/** Dragging is loaded when the mouse first moves. Menus and keys do the same. */
function useDrag(
  reach: 'anywhere' | 'inside' | undefined,
  rows: readonly { card: BoardCard }[],
  move: Move,
  putBefore: (key: string, beforeKey: string) => unknown,
): ReturnType<typeof createDrag> | undefined {
  const [drag, setDrag] = useState<ReturnType<typeof createDrag>>()
  const latest = useLatest({ rows, move, putBefore })
  useEffect(() => {
    if (!reach || !matchMedia('(pointer: fine)').matches) return setDrag(undefined)
    const leaving = new AbortController()
    const load = async () => {
      const { createDrag } = await untilLoaded(() => import('./drag.ts'))
      if (leaving.signal.aborted) return
      const made = createDrag({
        onCard: (id, to) => {
          const row = latest.current.rows.find(({ card }) => card.id === id)
          if (row) latest.current.move(row.card, to)
        },
        onSection: (key, beforeKey) => void latest.current.putBefore(key, beforeKey),
        reach,
      })
      setDrag(made)
    }
    addEventListener('pointermove', () => void load(), { once: true, signal: leaving.signal })
    return () => leaving.abort()
  }, [reach, latest])
  return drag
}
