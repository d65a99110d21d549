import type { ReactNode } from 'react'
import { Time } from '../../shared/kit/time.tsx'
import { percent } from './account.ts'

type WindowBarProps = { label: string; used: number | null; resets?: string | null }

/** How much of a quota window is used, and when it is free again. */
export function WindowBar({ label, used, resets = null }: WindowBarProps): ReactNode {
  const share = Math.min(1, used ?? 0)
  const colour = share >= 1 ? 'bg-failed' : share >= 0.8 ? 'bg-needs' : 'bg-ok'
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <p className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="text-muted">
          {label}
          {resets && (
            <>
              {' · free again '}
              <Time at={resets} />
            </>
          )}
        </span>
        <span className="tabular font-medium">{used === null ? 'no reading' : percent(used)}</span>
      </p>
      <div className="h-1.5 overflow-hidden rounded-full bg-hover">
        <div className={`h-full rounded-full ${colour}`} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
