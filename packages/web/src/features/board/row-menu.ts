import type { MenuItem } from '../../shared/kit/menu.tsx'
import type { BoardActions } from './board-actions.ts'
import type { BoardCard } from './board-cache.ts'

export type RowDialog = 'snooze' | 'category' | 'priority' | 'notes'

/** What a row can do, the same object for all rows. */
export type RowDeeds = {
  actions: BoardActions
  openDialog: (kind: RowDialog, cards: readonly BoardCard[]) => void
  /** Opens it beside the board. */
  peek: (id: number) => void
  /** Selects it, or takes it from the selection. */
  select: (id: number) => void
  /** One place up or down in its section; absent in views by time. */
  step?: (card: BoardCard, sectionKey: string, by: -1 | 1) => void
}

export function rowMenuItems(
  card: BoardCard,
  sectionKey: string,
  { actions, openDialog, peek, select, step }: RowDeeds,
): MenuItem[] {
  const { status, favorited, visibility, queued } = card
  const cards = [card]
  const beside: MenuItem = {
    label: 'Open beside the board',
    icon: 'panel-right',
    keys: 'o',
    onSelect: () => peek(card.id),
  }
  const notes: MenuItem = { label: 'Notes…', icon: 'file-text', onSelect: () => openDialog('notes', cards) }
  const pick: MenuItem = { label: 'Select', icon: 'check', keys: 'x', onSelect: () => select(card.id) }
  if (status === 'archived') {
    return [
      beside,
      pick,
      notes,
      { label: 'Unarchive', icon: 'archive-restore', onSelect: () => actions.unarchive(cards) },
    ]
  }
  return [
    beside,
    pick,
    notes,
    {
      label: favorited ? 'Remove from favourites' : 'Make a favourite',
      icon: 'star',
      keys: 'f',
      onSelect: () => actions.toggleFavorite(card),
    },
    'separator',
    {
      label: 'Pause',
      icon: 'pause',
      keys: 'p',
      isDisabled: status !== 'running',
      onSelect: () => actions.pause(cards),
    },
    { label: 'Sleep', icon: 'moon', isDisabled: status === 'failed', onSelect: () => actions.sleep(cards) },
    { label: 'Restart', icon: 'rotate-ccw', keys: 'r', onSelect: () => actions.restart(cards) },
    { label: 'Read the transcript again', icon: 'refresh-cw', onSelect: () => actions.refresh(cards) },
    'separator',
    { label: 'Move to a category…', icon: 'tag', keys: 'm', onSelect: () => openDialog('category', cards) },
    ...(step
      ? [
          {
            label: 'Move up',
            icon: 'arrow-up',
            keys: 'alt+arrowup',
            onSelect: () => step(card, sectionKey, -1),
          } as const,
          {
            label: 'Move down',
            icon: 'arrow-down',
            keys: 'alt+arrowdown',
            onSelect: () => step(card, sectionKey, 1),
          } as const,
        ]
      : []),
    {
      label: 'Top of the queue',
      icon: 'chevron-up',
      isDisabled: card.priority_class === 'priority',
      onSelect: () => actions.setPriority(cards, { place: 'top_of_spot' }),
    },
    { label: 'Class and precedence…', icon: 'zap', onSelect: () => openDialog('priority', cards) },
    'separator',
    visibility
      ? { label: 'Show on the board', icon: 'eye', onSelect: () => actions.show(cards) }
      : { label: 'Hide', icon: 'eye-off', keys: 'h', onSelect: () => actions.hide(cards) },
    { label: 'Snooze…', icon: 'clock', keys: 's', onSelect: () => openDialog('snooze', cards) },
    'separator',
    queued === undefined
      ? { label: 'Archive', icon: 'archive', keys: 'e', onSelect: () => actions.archive(cards) }
      : {
          label: `Archive, discard ${queued} queued`,
          icon: 'archive',
          isDanger: true,
          onSelect: () => actions.archive(cards, { force: true }),
        },
  ]
}
