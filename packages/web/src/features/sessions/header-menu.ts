import type { MenuItem } from '../../shared/kit/menu.tsx'
import { copyLink, copyTranscript } from './copy-session.ts'
import type { SessionHeaderProps } from './session-header-props.ts'
import { factsOf } from './session-metadata.ts'

/** What is done to a session less often. */
export function headerMenuItems({ shown: { session }, underway, actions, lastEntry }: SessionHeaderProps): MenuItem[] {
  const isArchived = session.status === 'archived'
  const isAsleep = factsOf(session).asleepSince !== undefined && session.status === 'waiting'
  return [
    ...(isArchived
      ? []
      : ([
          isAsleep
            ? { label: 'Wake', icon: 'sun', onSelect: actions.restart }
            : { label: underway ? 'Sleep when the turn ends' : 'Sleep', icon: 'moon', onSelect: actions.sleep },
          { label: 'Restart', icon: 'rotate-ccw', onSelect: actions.restart },
          { label: 'Read the transcript from disk again', icon: 'refresh-cw', onSelect: actions.reread },
        ] satisfies MenuItem[])),
    {
      label: 'Fork at the last entry',
      icon: 'git-fork',
      isDisabled: !lastEntry,
      onSelect: () => lastEntry && actions.fork(lastEntry),
    },
    'separator',
    { label: 'Copy the transcript', icon: 'copy', onSelect: () => void copyTranscript(session.id, actions.toasts) },
    { label: 'Copy the link', icon: 'link', onSelect: () => void copyLink(session.id, actions.toasts) },
  ]
}

/** Everything that the header does, the most frequent first. */
export function allMenuItems(header: SessionHeaderProps): MenuItem[] {
  const { shown, underway, actions, onFind } = header
  const { status, favorited } = shown.session
  return [
    ...(underway
      ? ([{ label: 'Pause', icon: 'pause', onSelect: actions.pause }, 'separator'] satisfies MenuItem[])
      : []),
    status === 'archived'
      ? { label: 'Unarchive', icon: 'archive-restore', onSelect: actions.unarchive }
      : { label: 'Archive', icon: 'archive', onSelect: () => actions.archive() },
    { label: favorited ? 'Remove from favourites' : 'Make a favourite', icon: 'star', onSelect: actions.favorite },
    { label: 'Find in the transcript', icon: 'search', onSelect: onFind },
    'separator',
    ...headerMenuItems(header),
  ]
}
