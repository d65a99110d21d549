import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { Input } from '../../shared/api/client.ts'

const views = ['categories', 'ranked', 'touched', 'created'] as const
export type BoardView = (typeof views)[number]

const statuses: readonly SessionStatus[] = ['waiting', 'running', 'needs_input', 'failed', 'archived']

/** The view and the filters of the board, as its address has them. */
export type BoardSearch = {
  view?: BoardView
  status?: SessionStatus
  q?: string
  root?: string
  runtime?: string
  class?: 'spot' | 'priority'
  mine?: 'needs_you' | 'favorites' | 'written'
  archived?: true
  shown?: 'off_board' | 'all'
  /** The session that is open beside the board. */
  open?: number
}

export function boardSearch(raw: Record<string, unknown>): BoardSearch {
  return withoutBlanks({
    view: views.find((known) => known === raw.view),
    status: statuses.find((known) => known === raw.status),
    // An address with `q=12` is read as a number.
    q: raw.q === undefined ? undefined : String(raw.q),
    root: raw.root === undefined ? undefined : String(raw.root),
    runtime: raw.runtime === undefined ? undefined : String(raw.runtime),
    class: (['spot', 'priority'] as const).find((known) => known === raw.class),
    mine: (['needs_you', 'favorites', 'written'] as const).find((known) => known === raw.mine),
    archived: raw.archived === true || raw.archived === 'true' ? true : undefined,
    shown: (['off_board', 'all'] as const).find((known) => known === raw.shown),
    open: Number.isSafeInteger(Number(raw.open)) && Number(raw.open) > 0 ? Number(raw.open) : undefined,
  })
}

/** All cards of a section in one read: rows that are not in sight cost nothing. */
export const perSection = 1000

/** `person` is the key of who looks at it; without one nothing is theirs. */
export function queryOf(search: BoardSearch, person = ''): Input<'board.show'> {
  const { view, status, q, root, runtime, archived, shown, mine } = search
  return withoutBlanks({
    view: view ?? 'categories',
    status,
    q: q?.trim(),
    agent_root: root,
    agent_runtime: runtime,
    priority_class: search.class,
    favorited: mine === 'favorites' ? true : undefined,
    author: mine === 'written' ? person || '-' : undefined,
    needs_you: mine === 'needs_you' ? true : undefined,
    show_archived: archived || status === 'archived' ? true : undefined,
    visibility: shown === 'all' ? undefined : (shown ?? 'on_board'),
    per_section: perSection,
  })
}

/** Whether anything but the view narrows the board. */
export function isFiltered({ view: _, open: __, ...filters }: BoardSearch): boolean {
  return Object.keys(filters).length > 0
}

/** Without the session that is open beside it: what a view is saved and compared by. */
export function viewOf({ open: _, ...view }: BoardSearch): BoardSearch {
  return view
}

type Blankless<Type> = { [Key in keyof Type]?: Exclude<Type[Key], undefined> }

function withoutBlanks<Type extends object>(values: Type): Blankless<Type> {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(kept) as Blankless<Type>
}
