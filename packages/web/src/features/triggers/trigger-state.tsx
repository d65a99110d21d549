import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { Badge } from '../../shared/kit/badge.tsx'

type Trigger = Result<'triggers.list'>['triggers'][number]

/** Enabled or not, and what is wrong with it. */
export function TriggerState({ of: trigger }: { of: Trigger }): ReactNode {
  const { status, bursting, missed_fire_count, last_error } = trigger
  const tone = status === 'failed' ? 'failed' : status === 'enabled' ? 'ok' : 'neutral'
  return (
    <span className="flex flex-wrap gap-1">
      <Badge tone={tone} {...(last_error && { tip: last_error })}>
        {status}
      </Badge>
      {bursting && <Badge tone="needs">bursting</Badge>}
      {missed_fire_count > 0 && <Badge tone="needs">{`${missed_fire_count} missed`}</Badge>}
    </span>
  )
}
