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
  mine?: 'needs_you' | 'favorites'
  archived?: true
  shown?: 'off_board' | 'all'
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
    mine: (['needs_you', 'favorites'] as const).find((known) => known === raw.mine),
    archived: raw.archived === true || raw.archived === 'true' ? true : undefined,
    shown: (['off_board', 'all'] as const).find((known) => known === raw.shown),
  })
}

/** All cards of a section in one read: rows that are not in sight cost nothing. */
const perSection = 1000

export function queryOf(search: BoardSearch): Input<'board.show'> {
  const { view, status, q, root, runtime, archived, shown, mine } = search
  return withoutBlanks({
    view: view ?? 'categories',
    status,
    q: q?.trim(),
    agent_root: root,
    agent_runtime: runtime,
    priority_class: search.class,
    favorited: mine === 'favorites' ? true : undefined,
    needs_you: mine === 'needs_you' ? true : undefined,
    show_archived: archived || status === 'archived' ? true : undefined,
    visibility: shown === 'all' ? undefined : (shown ?? 'on_board'),
    per_section: perSection,
  })
}

/** Whether anything but the view narrows the board. */
export function isFiltered({ view: _, ...filters }: BoardSearch): boolean {
  return Object.keys(filters).length > 0
}

type Blankless<Type> = { [Key in keyof Type]?: Exclude<Type[Key], undefined> }

function withoutBlanks<Type extends object>(values: Type): Blankless<Type> {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(kept) as Blankless<Type>
}
