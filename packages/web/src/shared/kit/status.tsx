import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Look = { icon: IconName; word: string; color: string }

const looks: Record<SessionStatus, Look> = {
  waiting: { icon: 'hourglass', word: 'Waiting', color: 'text-muted' },
  running: { icon: 'loader-circle', word: 'Running', color: 'text-running' },
  needs_input: { icon: 'circle-check', word: 'At rest', color: 'text-muted' },
  failed: { icon: 'octagon-x', word: 'Failed', color: 'text-failed' },
  archived: { icon: 'archive', word: 'Archived', color: 'text-faint' },
}

const unread: Look = { ...looks.needs_input, word: 'Done', color: 'text-ok' }
const asking: Look = { icon: 'message-circle-question-mark', word: 'Asks you', color: 'text-needs' }

type StatusProps = {
  of: SessionStatus
  /** Why a session at rest waits for a person, as the board says it; without it no one has to look. */
  need?: string | undefined
  className?: string
}

/** Icon and word: colour alone must not carry the meaning. */
export function Status({ of, need, className = '' }: StatusProps): ReactNode {
  const { icon, word, color } = of !== 'needs_input' || !need ? looks[of] : need === 'needs_input' ? unread : asking
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
