import { type ReactNode, useEffect, useState } from 'react'
import { useViewer } from '../shared/api/viewer.ts'
import { Icon, type IconName } from '../shared/kit/icon.tsx'
import { part } from '../shared/kit/part.tsx'
import { useConnection } from '../shared/live/live.tsx'

const RecoveryBanner = part(() => import('../features/health/recovery-banner.tsx'))

/** A short interruption, as when the server restarts, needs no banner. */
const graceMs = 3_000

/** What every page must say above its content. */
export function Banners(): ReactNode {
  const { data: viewer } = useViewer()
  const isLost = useLasting(useConnection() === 'lost')
  return (
    <div role="status" className="shrink-0">
      {isLost && (
        <Banner icon="triangle-alert" className="bg-needs-soft text-needs">
          No connection to the server. What you see may be old; it catches up by itself when the server answers.
        </Banner>
      )}
      <RecoveryBanner />
      {viewer?.read_only && (
        <Banner icon="triangle-alert" className="bg-needs-soft text-needs">
          Read only: the key that you signed in with can change nothing.
        </Banner>
      )}
      {viewer?.web_auth === 'none' && (
        <Banner icon="triangle-alert" className="bg-failed-soft text-failed">
          Anyone who reaches this server can do everything here (WEB_AUTH=none).
        </Banner>
      )}
    </div>
  )
}

function Banner({ icon, className, children }: { icon: IconName; className: string; children: ReactNode }): ReactNode {
  return (
    <p className={`flex items-center gap-2 px-4 py-1.5 text-sm ${className}`}>
      <Icon name={icon} size={14} />
      <span>{children}</span>
    </p>
  )
}

function useLasting(isTrue: boolean): boolean {
  const [hasLasted, setLasted] = useState(false)
  useEffect(() => {
    if (!isTrue) return setLasted(false)
    const timer = setTimeout(() => setLasted(true), graceMs)
    return () => clearTimeout(timer)
  }, [isTrue])
  return hasLasted
}
