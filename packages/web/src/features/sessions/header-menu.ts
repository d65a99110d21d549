import { call } from '../../shared/api/client.ts'
import type { MenuItem } from '../../shared/kit/menu.tsx'
import type { Toasts } from '../../shared/kit/toasts.tsx'
import { cardOf } from './card-of.ts'
import { copyLink, copyTranscript } from './copy-session.ts'
import type { SessionHeaderProps } from './session-header-props.ts'
import { factsOf } from './session-metadata.ts'

/** What is done to a session less often. */
export function headerMenuItems({ shown: { session }, underway, actions, lastEntry }: SessionHeaderProps): MenuItem[] {
  const isArchived = session.status === 'archived'
  const isAsleep = factsOf(session).asleepSince !== undefined && session.status === 'waiting'
  const { board, openDialog, toasts } = actions
  const cards = [cardOf(session)]
  return [
    ...(isArchived
      ? []
      : ([
          isAsleep
            ? { label: 'Wake', icon: 'sun', onSelect: actions.restart }
            : {
                label: underway ? 'Sleep when the turn ends' : 'Sleep',
                icon: 'moon',
                isDisabled: session.status === 'failed',
                onSelect: actions.sleep,
              },
          { label: 'Restart', icon: 'rotate-ccw', onSelect: actions.restart },
          { label: 'Read the transcript from disk again', icon: 'refresh-cw', onSelect: actions.reread },
          'separator',
          { label: 'Move to a category…', icon: 'tag', onSelect: () => openDialog('category') },
          { label: 'Class and precedence…', icon: 'zap', onSelect: () => openDialog('priority') },
          session.effective_visibility === 'visible'
            ? { label: 'Hide', icon: 'eye-off', onSelect: () => board.hide(cards) }
            : { label: 'Show on the board', icon: 'eye', onSelect: () => board.show(cards) },
          { label: 'Snooze…', icon: 'clock', onSelect: () => openDialog('snooze') },
          'separator',
        ] satisfies MenuItem[])),
    {
      label: 'Write a new summary',
      icon: 'sparkles',
      onSelect: () => void writeSummary(session.id, toasts),
    },
    {
      label: 'Fork at the last entry',
      icon: 'git-fork',
      isDisabled: !lastEntry,
      onSelect: () => lastEntry && actions.fork(lastEntry),
    },
    'separator',
    { label: 'Copy the transcript', icon: 'copy', onSelect: () => void copyTranscript(session.id, toasts) },
    { label: 'Copy the link', icon: 'link', onSelect: () => void copyLink(session.id, toasts) },
  ]
}

/** Everything that the header does, the most frequent first. The keys and the palette have the same. */
export function allMenuItems(header: SessionHeaderProps): MenuItem[] {
  const { shown, underway, actions, onFind } = header
  const { status, favorited } = shown.session
  return [
    ...(underway
      ? ([{ label: 'Pause', icon: 'pause', onSelect: actions.pause }, 'separator'] satisfies MenuItem[])
      : []),
    status === 'archived'
      ? { label: 'Unarchive', icon: 'archive-restore', onSelect: actions.unarchive }
      : { label: 'Archive', icon: 'archive', keys: 'e', onSelect: () => actions.archive() },
    {
      label: favorited ? 'Remove from favourites' : 'Make a favourite',
      icon: 'star',
      keys: 'f',
      onSelect: actions.favorite,
    },
    { label: 'Find in the transcript', icon: 'search', keys: '/', onSelect: onFind },
    'separator',
    ...headerMenuItems(header),
  ]
}

/** The page shows by an event that it is being written. */
async function writeSummary(id: number, toasts: Toasts): Promise<void> {
  try {
    await call('sessions.regenerate_status_summary', { id: String(id) })
    toasts.say('A new summary is being written')
  } catch (error) {
    toasts.complain(error)
  }
}
