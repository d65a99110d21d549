import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { type Command, useCommands } from '../../shared/keys/commands.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { BoardCard } from './board-cache.ts'
import { bulkDeeds } from './bulk-deeds.ts'
import type { RowDeeds } from './row-menu.ts'

type Row = { card: BoardCard; sectionKey: string }

type BoardKeysProps = {
  rows: readonly Row[]
  cursor: number | undefined
  selected: readonly BoardCard[]
  setCursor: (id: number) => void
  toggle: (id: number) => void
  clear: () => void
  deeds: RowDeeds
}

/** No element, only keys: moves through the rows, and acts on the selected ones or else on the one at the cursor. */
export default function BoardKeys(keys: BoardKeysProps): ReactNode {
  const { rows, cursor, selected, setCursor, toggle, clear, deeds } = keys
  const { actions, peek, step } = deeds
  const navigate = useNavigate()
  const toasts = useToasts()
  const at = rows.findIndex(({ card }) => card.id === cursor)
  const current = rows[at]
  const [above, below] = useNeighbours(rows, cursor)
  const successor = (rows[below] ?? rows[above])?.card.id
  // A row that leaves with the focus inside gives both to the one that takes its place. It is still in the document while this renders.
  const hasFocus = !current && document.activeElement?.closest(`[data-session="${cursor}"]`)
  useEffect(() => {
    if (hasFocus && successor !== undefined) setCursor(successor)
  })
  const subjects = selected.length > 0 ? selected : current ? [current.card] : []
  const go = (to: number) => {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)]
    if (row) setCursor(row.card.id)
  }
  const moves: Command[] = [
    { id: 'board next', label: 'Next row', keys: 'j', run: () => go(below) },
    { id: 'board previous', label: 'Previous row', keys: 'k', run: () => go(above) },
    { id: 'board ]', label: 'Next row', keys: ']', run: () => go(below) },
    { id: 'board [', label: 'Previous row', keys: '[', run: () => go(above) },
    { id: 'board select', label: 'Select the row', keys: 'x', run: () => current && toggle(current.card.id) },
    { id: 'board clear', label: 'Clear the selection', keys: 'escape', run: clear },
  ].map((command) => ({ ...command, group: 'Board', isHidden: true }))
  const onSubjects = bulkDeeds(subjects, deeds).map(
    ({ id, label, icon, keys, fitsNone, run }): Command => ({
      id: `board ${id}`,
      label,
      icon,
      ...(keys && { keys }),
      group: selected.length > 0 ? 'Selected sessions' : 'Selected session',
      isHidden: fitsNone,
      run: () => {
        if (fitsNone) return
        if (id === 'archive') clear()
        run()
      },
    }),
  )
  const onCurrent = (command: Omit<Command, 'group' | 'run'>, run: (row: Row) => unknown): Command => ({
    ...command,
    group: 'Selected session',
    isHidden: current === undefined,
    run: () => {
      if (current) run(current)
    },
  })
  const continueAll = useWrite('sessions.refresh_all', {
    refreshes: ['board', 'needs_you'],
    onSuccess: ({ message }) => toasts.say(message),
  })
  useCommands([
    ...moves,
    {
      id: 'board continue all',
      label: 'Continue every session that failed or rests',
      group: 'Board',
      icon: 'refresh-cw',
      run: () => continueAll.mutate({}),
    },
    {
      id: 'board continue favourites',
      label: 'Continue the favourites that failed or rest',
      group: 'Board',
      icon: 'star',
      run: () => continueAll.mutate({ favorited: true }),
    },
    onCurrent({ id: 'board peek', label: 'Open beside the board', keys: 'o', icon: 'panel-right' }, ({ card }) =>
      peek(card.id),
    ),
    onCurrent({ id: 'board open', label: 'Open', icon: 'arrow-right' }, ({ card }) =>
      navigate({ to: '/sessions/$id', params: { id: String(card.id) } }),
    ),
    onCurrent({ id: 'board favourite', label: 'Favourite', keys: 'f', icon: 'star' }, ({ card }) =>
      actions.toggleFavorite(card),
    ),
    ...onSubjects,
    ...(step
      ? [
          onCurrent({ id: 'board up', label: 'Move up', keys: 'alt+arrowup', icon: 'arrow-up' }, (row) =>
            step(row.card, row.sectionKey, -1),
          ),
          onCurrent({ id: 'board down', label: 'Move down', keys: 'alt+arrowdown', icon: 'arrow-down' }, (row) =>
            step(row.card, row.sectionKey, 1),
          ),
        ]
      : []),
  ])
  return null
}

/**
 * Where the rows above and below the cursor are. When the row at the cursor has left, they are those that were next to it and are still
 * there, so that the keys go on from its place.
 */
function useNeighbours(rows: readonly Row[], cursor: number | undefined): [above: number, below: number] {
  const seen = useRef(rows)
  const at = rows.findIndex(({ card }) => card.id === cursor)
  useEffect(() => {
    if (at !== -1) seen.current = rows
  })
  if (at !== -1) return [at - 1, at + 1]
  const was = seen.current.findIndex(({ card }) => card.id === cursor)
  if (was === -1) return [0, 0]
  const places = new Map(rows.map(({ card }, place) => [card.id, place]))
  const next = seen.current.slice(was).find(({ card }) => places.has(card.id))
  const below = (next && places.get(next.card.id)) ?? rows.length
  return [below - 1, below]
}
