import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Time } from '../../shared/kit/time.tsx'

/** What wakes the session: those with a time first, in their order. */
export function Wakes({ of }: { of: number }): ReactNode {
  const { data } = useRead('triggers.list', { wakes_session_id: String(of) })
  const wakes = (data?.triggers ?? []).flatMap(({ id: trigger, name, conditions }) =>
    conditions.map(({ id, next_run_at: at, description }) => ({ id, trigger, name, at, description })),
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

type Timed = { at: string | null }

function byTime({ at: one }: Timed, { at: other }: Timed): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return Date.parse(one) - Date.parse(other)
}
