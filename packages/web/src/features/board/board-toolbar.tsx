import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Count } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Icon, type IconName } from '../../shared/kit/icon.tsx'
import { part } from '../../shared/kit/part.tsx'
import { type BoardSearch, type BoardView, isFiltered, viewOf } from './board-search.ts'
import { useSavedViews } from './saved-views.ts'

const FiltersDialog = part(() => import('./filters-dialog.tsx'))

const views: readonly { value: BoardView; label: string }[] = [
  { value: 'categories', label: 'Categories' },
  { value: 'ranked', label: 'Ranked' },
  { value: 'touched', label: 'Last touched' },
  { value: 'created', label: 'Newest' },
]

const typingMs = 200

/** View, quick filters, text, the rest of the filters, saved views: all of it in the address. */
export function BoardToolbar({ search }: { search: BoardSearch }): ReactNode {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const saved = useSavedViews()
  const go = (next: BoardSearch) => void navigate({ to: '/', search: next })
  const { view = 'categories' } = search
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      <label className="relative">
        <span className="unseen">View</span>
        <select
          value={view}
          onChange={(event) => {
            const { view: _, ...rest } = search
            const chosen = event.currentTarget.value as BoardView
            go(chosen === 'categories' ? rest : { ...rest, view: chosen })
          }}
          className="h-7 appearance-none rounded-md border border-line-strong bg-surface pr-7 pl-2 font-medium text-sm hover:bg-hover max-md:w-32"
        >
          {views.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" size={12} className="pointer-events-none absolute top-2 right-2 text-muted" />
      </label>
      <QuickFilters search={search} />
      <span className="grow max-md:hidden" />
      {saved.views.length > 0 && (
        <nav aria-label="Saved views" className="flex min-w-0 gap-0.5 overflow-x-auto">
          {saved.views.map(({ name, search: kept }) => (
            <Chip key={name} search={kept} isCurrent={isSame(kept, search)}>
              {name}
            </Chip>
          ))}
        </nav>
      )}
      <TextFilter search={search} />
      <Button size="sm" icon="filter" onClick={() => setOpen(true)}>
        Filters
        <Count of={countInDialog(search)} tone="accent" label="in use" />
      </Button>
      {isFiltered(search) && (
        <Button
          size="sm"
          look="quiet"
          icon="x"
          aria-label="Reset"
          onClick={() => go(search.view ? { view: search.view } : {})}
        >
          <span className="max-md:hidden">Reset</span>
        </Button>
      )}
      {isOpen && <FiltersDialog search={search} saved={saved} onChange={go} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** Those that no chip shows. */
function countInDialog({ root, runtime, class: level, shown, archived }: BoardSearch): number {
  return [root, runtime, level, shown, archived].filter((value) => value !== undefined).length
}

function isSame(one: BoardSearch, other: BoardSearch): boolean {
  const text = (search: BoardSearch) => JSON.stringify(Object.entries(viewOf(search)).sort())
  return text(one) === text(other)
}

function QuickFilters({ search }: { search: BoardSearch }): ReactNode {
  const { data } = useRead('board.summary', {})
  const { status: _, mine: __, ...rest } = search
  const { status, mine } = search
  const statuses = [
    ['running', 'Running', data?.running],
    ['waiting', 'Waiting', data?.waiting],
    ['needs_input', 'At rest', data?.needs_input],
    ['failed', 'Failed', data?.failed],
  ] as const
  return (
    <nav
      aria-label="Quick filters"
      className="flex min-w-0 gap-0.5 overflow-x-auto max-md:order-last max-md:basis-full"
    >
      <Chip search={rest} isCurrent={!status && !mine}>
        All
      </Chip>
      <Chip search={{ ...rest, mine: 'needs_you' }} isCurrent={mine === 'needs_you'} count={data?.needs_you}>
        Needs me
      </Chip>
      {statuses.map(([value, label, count]) => (
        <Chip key={value} search={{ ...rest, status: value }} isCurrent={status === value} count={count}>
          {label}
        </Chip>
      ))}
      <Chip search={{ ...rest, mine: 'written' }} isCurrent={mine === 'written'} icon="user">
        Mine
      </Chip>
      <Chip search={{ ...rest, mine: 'favorites' }} isCurrent={mine === 'favorites'} icon="star">
        Favourites
      </Chip>
    </nav>
  )
}

type ChipProps = {
  search: BoardSearch
  isCurrent: boolean
  count?: number | undefined
  icon?: IconName
  children: ReactNode
}

function Chip({ search, isCurrent, count, icon, children }: ChipProps): ReactNode {
  return (
    <Link
      to="/"
      search={search}
      aria-current={isCurrent ? 'true' : undefined}
      data-current={isCurrent || undefined}
      className="inline-flex h-7 shrink-0 items-center gap-1 whitespace-nowrap rounded-md px-2 font-medium text-muted text-sm hover:bg-hover hover:text-text data-current:bg-selected data-current:text-accent-text"
    >
      {icon && <Icon name={icon} size={13} />}
      {children}
      {count !== undefined && count > 0 && <span className="tabular text-faint">{count}</span>}
    </Link>
  )
}

/** What is typed goes into the address when the typing pauses, without a step in the history for each letter. */
function TextFilter({ search }: { search: BoardSearch }): ReactNode {
  const navigate = useNavigate()
  const [text, setText] = useState(search.q ?? '')
  useEffect(() => setText(search.q ?? ''), [search.q])
  useEffect(() => {
    if (text === (search.q ?? '')) return
    const timer = setTimeout(() => {
      const { q: _, ...rest } = search
      void navigate({ to: '/', search: text.trim() === '' ? rest : { ...rest, q: text }, replace: true })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  return (
    <label className="relative max-md:grow max-md:basis-0">
      <span className="unseen">Filter by title, slug, root, branch or id</span>
      <Icon name="search" size={13} className="pointer-events-none absolute top-2 left-2 text-faint" />
      <input
        type="search"
        value={text}
        placeholder="Find…"
        onChange={(event) => setText(event.currentTarget.value)}
        className="h-7 w-40 rounded-md border border-control bg-surface max-md:w-full pr-1 pl-7 text-sm"
      />
    </label>
  )
}
