import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Time } from '../../shared/kit/time.tsx'

type Condition = Result<'triggers.list'>['triggers'][number]['conditions'][number]

/** What wakes the session: those with a time first, in their order. */
export function Wakes({ of }: { of: number }): ReactNode {
  const { data } = useRead('triggers.list', { wakes_session_id: String(of) })
  const wakes = (data?.triggers ?? []).flatMap(({ id: trigger, name, conditions }) =>
    conditions.filter(isAhead).map(({ id, next_run_at: at, description }) => ({ id, trigger, name, at, description })),
  )
  if (wakes.length === 0) return null
  return (
    <ul aria-label="What wakes it">
      {wakes.toSorted(byTime).map(({ id, trigger, name, at, description }) => (
        <li key={id}>
          Wakes {at ? <Time at={at} /> : `by an event: ${description}`} ·{' '}
          <Link to="/triggers/$id" params={{ id: String(trigger) }} className="font-medium text-accent-text underline">
            {name}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** A trigger may have more conditions than the one that waits, such as a time that has passed. */
function isAhead({ condition_type, next_run_at, last_triggered_at }: Condition): boolean {
  return next_run_at !== null || (condition_type !== 'schedule' && last_triggered_at === null)
}

type Timed = { at: string | null }

function byTime({ at: one }: Timed, { at: other }: Timed): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return Date.parse(one) - Date.parse(other)
}
