import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'running' | 'needs' | 'failed' | 'ok' | 'accent'

const tones: Record<Tone, string> = {
  neutral: 'bg-hover text-muted',
  running: 'bg-running-soft text-running',
  needs: 'bg-needs-soft text-needs',
  failed: 'bg-failed-soft text-failed',
  ok: 'bg-ok-soft text-ok',
  accent: 'bg-selected text-accent-text',
}

type BadgeProps = { tone?: Tone; icon?: IconName; children: ReactNode; tip?: string }

export function Badge({ tone = 'neutral', icon, children, tip }: BadgeProps): ReactNode {
  return (
    <span
      data-tip={tip}
      className={`inline-flex h-5 max-w-full shrink-0 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 text-xs font-medium ${tones[tone]}`}
    >
      {icon && <Icon name={icon} size={12} />}
      <span className="truncate">{children}</span>
    </span>
  )
}

/** A number beside a word, as in the rail: nothing when it is 0. */
export function Count({ of, tone = 'neutral', label }: { of: number; tone?: Tone; label?: string }): ReactNode {
  if (of === 0) return null
  return (
    <span
      className={`tabular inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full px-1.5 text-xs font-semibold ${tones[tone]}`}
    >
      {of > 999 ? '999+' : of}
      {label && <span className="unseen"> {label}</span>}
    </span>
  )
}
