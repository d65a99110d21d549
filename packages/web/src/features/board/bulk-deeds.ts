import type { IconName } from '../../shared/kit/icon.tsx'
import type { BoardCard } from './board-cache.ts'
import type { RowDeeds } from './row-menu.ts'

type Cards = readonly BoardCard[]

type BulkDeed = {
  id: string
  label: string
  /** In the bar of the selected sessions, if it differs. */
  short?: string
  keys?: string
  icon: IconName
  /** A dialog that asks first. */
  asks?: true
  fits: (card: BoardCard) => boolean
  act: (cards: Cards) => unknown
}

const isArchived = ({ status }: BoardCard) => status === 'archived'
const isRunning = ({ status }: BoardCard) => status === 'running'
const isActive = (card: BoardCard) => !isArchived(card)

/** What can be done to several sessions, each with those that it fits: the bar, the keys and the palette offer the same. */
export function bulkDeeds(cards: Cards, { actions, openDialog }: Pick<RowDeeds, 'actions' | 'openDialog'>) {
  const all: readonly BulkDeed[] = [
    { id: 'unarchive', label: 'Unarchive', icon: 'archive-restore', fits: isArchived, act: actions.unarchive },
    { id: 'archive', label: 'Archive', keys: 'e', icon: 'archive', fits: isActive, act: actions.archive },
    {
      id: 'move',
      label: 'Move to a category…',
      short: 'Move',
      keys: 'm',
      icon: 'tag',
      asks: true,
      fits: isActive,
      act: (fitting) => openDialog('category', fitting),
    },
    {
      id: 'snooze',
      label: 'Snooze…',
      short: 'Snooze',
      keys: 's',
      icon: 'clock',
      asks: true,
      fits: isActive,
      act: (fitting) => openDialog('snooze', fitting),
    },
    {
      id: 'hide',
      label: 'Hide',
      keys: 'h',
      icon: 'eye-off',
      fits: (card) => isActive(card) && !card.visibility,
      act: actions.hide,
    },
    {
      id: 'show',
      label: 'Show on the board',
      short: 'Show',
      icon: 'eye',
      fits: (card) => isActive(card) && card.visibility !== undefined,
      act: actions.show,
    },
    { id: 'pause', label: 'Pause', keys: 'p', icon: 'pause', fits: isRunning, act: actions.pause },
    { id: 'restart', label: 'Restart', keys: 'r', icon: 'rotate-ccw', fits: isActive, act: actions.restart },
    {
      id: 'priority',
      label: 'Class and precedence…',
      short: 'Priority',
      icon: 'zap',
      asks: true,
      fits: isActive,
      act: (fitting) => openDialog('priority', fitting),
    },
  ]
  return all.map(({ fits, act, ...deed }) => {
    const fitting = cards.filter(fits)
    return { ...deed, fitsNone: fitting.length === 0, run: () => act(fitting) }
  })
}
