import type { ReactNode } from 'react'
import { formatDuration, formatTime, useNow } from '../../shared/kit/time.tsx'

/** "expires in 4 m 10 s", each second. The verb is outside of the time, whose text a person can exchange for the exact one. */
export function Countdown({ to }: { to: string }): ReactNode {
  const left = (new Date(to).getTime() - useNow(1_000)) / 1_000
  return (
    <span className={`tabular ${left < 60 ? 'text-needs' : ''}`}>
      {left > 0 ? 'expires ' : 'expired '}
      <time dateTime={to} data-tip={formatTime(to)}>
        {left > 0 ? `in ${formatDuration(left)}` : `${formatDuration(-left)} ago`}
      </time>
    </span>
  )
}
