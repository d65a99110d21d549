import type { ReactNode } from 'react'
import { Callout } from '../../shared/kit/callout.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import type { Pool } from './account.ts'
import { WindowBar } from './window-bar.tsx'

/** How the accounts of a runtime are doing together. */
export function PoolSummary({ pool, actions }: { pool: Pool; actions: ReactNode }): ReactNode {
  const { account_count, available_count, needs_reauth_count, parked_session_count, recovers_at } = pool
  const isEmpty = account_count > 0 && available_count === 0
  return (
    <Panel>
      <div className="flex flex-col gap-3 p-3">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <p>
            <strong className="font-semibold">
              {account_count === 0 ? 'No accounts' : `${available_count} of ${account_count} accounts can serve`}
            </strong>
            {needs_reauth_count > 0 && <span className="text-muted"> · {needs_reauth_count} to sign in again</span>}
          </p>
          <div className="flex flex-wrap gap-2">{actions}</div>
        </div>
        {isEmpty && (
          <Callout tone="needs">
            No account can serve.{' '}
            {parked_session_count > 0 && `${parked_session_count} sessions wait and go on by themselves. `}
            {recovers_at ? (
              <>
                One is expected to serve again <Time at={recovers_at} />.
              </>
            ) : needs_reauth_count > 0 ? (
              'Sign in again, or add an account.'
            ) : (
              'The vendor does not tell when one can serve again; it is asked every 15 minutes.'
            )}
          </Callout>
        )}
        {account_count === 0 ? (
          <p className="text-muted">
            Without an account, sessions use the keys and the login of the host. With several, one whose quota is spent
            is followed by the next, and the sessions go on.
          </p>
        ) : (
          <div className="flex flex-col gap-3 md:flex-row md:gap-6">
            <WindowBar label="5 hours, average" used={pool.average_utilization_5h} />
            <WindowBar label="Week, average" used={pool.average_utilization_7d} />
          </div>
        )}
      </div>
    </Panel>
  )
}
