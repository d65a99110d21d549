import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { refresh, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'

type Coverage = Result<'costs.show'>['ledger_coverage']

const pollMs = 1_000

/** How far back the figures reach, and the sweep over old transcripts that completes them. */
export function LedgerPanel({ coverage }: { coverage: Coverage }): ReactNode {
  const backfill = useWrite('costs.backfill')
  const isUnderWay = coverage.status === 'queued' || coverage.status === 'running'
  usePollingWhile(isUnderWay)
  return (
    <Panel
      title="About the figures"
      actions={
        <Button
          size="sm"
          icon="refresh-cw"
          isBusy={backfill.isPending || isUnderWay}
          onClick={() => backfill.mutate({})}
        >
          Read all history again
        </Button>
      }
    >
      <div className="flex flex-col gap-2 p-3">
        <p>
          {coverage.covers_since && coverage.covers_until ? (
            <>
              The ledger has calls from <Time at={coverage.covers_since} /> to <Time at={coverage.covers_until} />.
            </>
          ) : (
            'The ledger has no calls yet.'
          )}{' '}
          {coverage.complete
            ? 'A sweep over all transcripts has finished.'
            : 'No sweep over all transcripts has finished yet, so older calls may be missing.'}
        </p>
        <div role="status" className="text-muted">
          {isUnderWay ? (
            <>
              <progress
                aria-label="Sweep over all sessions"
                max={100}
                {...(coverage.progress_pct !== null && { value: coverage.progress_pct })}
                className="h-1.5 w-full accent-accent"
              />
              <p>
                {coverage.status === 'queued' ? 'Waiting to begin' : 'Reading'}: {coverage.directories_done} of{' '}
                {coverage.directories_total} sessions, {coverage.rows_written} missing calls found.
              </p>
            </>
          ) : (
            coverage.finished_at && (
              <p>
                Last sweep: <Time at={coverage.finished_at} />, {coverage.directories_done} sessions,{' '}
                {coverage.rows_written} missing calls found.
              </p>
            )
          )}
        </div>
        {coverage.last_error && <p className="text-failed">The last sweep could not read: {coverage.last_error}</p>}
      </div>
    </Panel>
  )
}

/** No event tells how far a sweep is. */
function usePollingWhile(isUnderWay: boolean): void {
  const cache = useQueryClient()
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => void refresh(cache, ['costs.show']), pollMs)
    return () => clearInterval(timer)
  }, [cache, isUnderWay])
}
