import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import { Time } from '../../shared/kit/time.tsx'

/** For the top of every page, while queue recovery mode is on. An event announces that; the reads are for one that was lost. */
export default function RecoveryBanner(): ReactNode {
  const { data } = useRead('health.queue_recovery_mode', {}, { everyMs: 60_000 })
  if (!data?.active) return null
  return (
    <p className="flex items-center gap-2 bg-needs-soft px-4 py-1.5 text-needs text-sm">
      <Icon name="circle-pause" size={14} />
      <span>
        The queues are halted: only turns run.
        {data.reason && ` ${data.reason}.`}{' '}
        {data.expires_at && (
          <>
            They go on by themselves <Time at={data.expires_at} />.
          </>
        )}{' '}
        <Link to="/health-report" className="underline">
          See the health report
        </Link>
      </span>
    </p>
  )
}
