import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
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
  const subjects = selected.length > 0 ? selected : current ? [current.card] : []
  const go = (to: number) => {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)]
    if (row) setCursor(row.card.id)
  }
  const moves: Command[] = [
    { id: 'board next', label: 'Next row', keys: 'j', run: () => go(at + 1) },
    { id: 'board previous', label: 'Previous row', keys: 'k', run: () => go(at - 1) },
    { id: 'board ]', label: 'Next row', keys: ']', run: () => go(at + 1) },
    { id: 'board [', label: 'Previous row', keys: '[', run: () => go(at - 1) },
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
