import type { ReactNode } from 'react'
import { useCommands } from '../../shared/keys/commands.tsx'
import { copyTranscript } from './copy-session.ts'
import type { SessionActions } from './use-session-actions.ts'

type SessionKeysProps = { id: number; actions: SessionActions; onFind: () => void }

/** No element, only keys and commands of the palette. */
export default function SessionKeys({ id, actions, onFind }: SessionKeysProps): ReactNode {
  useCommands([
    {
      id: 'find',
      label: 'Find in the transcript',
      group: 'Session',
      keys: '/',
      icon: 'search',
      run: onFind,
    },
    { id: 'archive', label: 'Archive', group: 'Session', keys: 'e', icon: 'archive', run: () => actions.archive() },
    { id: 'favourite', label: 'Favourite', group: 'Session', keys: 'f', icon: 'star', run: actions.favorite },
    { id: 'pause', label: 'Pause', group: 'Session', icon: 'pause', run: actions.pause },
    { id: 'restart', label: 'Restart', group: 'Session', icon: 'rotate-ccw', run: actions.restart },
    {
      id: 'copy-transcript',
      label: 'Copy the transcript',
      group: 'Session',
      icon: 'copy',
      run: () => void copyTranscript(id, actions.toasts),
    },
  ])
  return null
}
