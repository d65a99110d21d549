import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

const looks: Record<SessionStatus, { icon: IconName; word: string; color: string }> = {
  waiting: { icon: 'hourglass', word: 'Waiting', color: 'text-muted' },
  running: { icon: 'loader-circle', word: 'Running', color: 'text-running' },
  needs_input: { icon: 'message-circle-question-mark', word: 'Needs you', color: 'text-needs' },
  failed: { icon: 'octagon-x', word: 'Failed', color: 'text-failed' },
  archived: { icon: 'archive', word: 'Archived', color: 'text-faint' },
}

/** Icon and word: colour alone must not carry the meaning. */
export function Status({ of, className = '' }: { of: SessionStatus; className?: string }): ReactNode {
  const { icon, word, color } = looks[of]
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap text-sm font-medium ${color} ${className}`}>
      <Icon name={icon} size={14} className={of === 'running' ? 'spin' : ''} />
      {word}
    </span>
  )
}

export function statusWord(status: SessionStatus): string {
  return looks[status].word
}
