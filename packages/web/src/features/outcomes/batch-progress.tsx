import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge, type Tone } from '../../shared/kit/badge.tsx'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'

type Batch = Result<'outcome_analyses.show_batch'>['analysis_batch']

const tones: Record<Batch['items'][number]['state'], Tone> = {
  queued: 'neutral',
  running: 'running',
  saved: 'ok',
  failed: 'failed',
  cancelled: 'neutral',
}

/** How far a batch of analyses is. */
export function BatchProgress({ id, onClose }: { id: number; onClose: () => void }): ReactNode {
  const { data, error } = useRead('outcome_analyses.show_batch', { id: String(id) })
  const batch = data?.analysis_batch
  const counts = batch?.counts
  const left = counts ? counts.queued + counts.running : 0
  const cancel = useWrite('outcome_analyses.cancel_batch', { refreshes: ['sessions', 'board'] })
  return (
    <Panel
      title={`Batch ${id}`}
      actions={
        <>
          {left > 0 && (
            <Button
              size="sm"
              icon="circle-x"
              isBusy={cancel.isPending}
              onClick={() => cancel.mutate({ id: String(id) })}
            >
              Cancel the batch
            </Button>
          )}
          <IconButton size="sm" icon="x" label="Hide the progress" onClick={onClose} />
        </>
      }
    >
      <ErrorNote error={error} />
      {batch && counts && (
        <div className="flex flex-col gap-2 p-3">
          <p role="status">
            {left > 0 ? 'Analysing' : counts.cancelled > 0 ? 'Cancelled' : 'Done'}: {counts.saved} saved,{' '}
            {counts.failed} failed, {counts.running} at work, {counts.queued} waiting
            {counts.cancelled > 0 && `, ${counts.cancelled} cancelled`}
          </p>
          <progress
            aria-label={`Progress of batch ${id}`}
            max={Math.max(1, batch.items.length)}
            value={counts.saved + counts.failed + counts.cancelled}
            className="h-1.5 w-full accent-accent"
          />
          <ul aria-label={`Sessions of batch ${id}`} className="max-h-48 overflow-y-auto">
            {batch.items.map(({ session_id, state, reason, analyzer_session_id }) => (
              <li key={session_id} className="flex min-h-8 flex-wrap items-center gap-x-3">
                <Link to="/outcomes/$id" params={{ id: String(session_id) }} className="font-medium hover:underline">
                  Session {session_id}
                </Link>
                <Badge tone={tones[state]}>{state}</Badge>
                {reason && <span className="min-w-0 text-failed">{reason}</span>}
                {analyzer_session_id !== null && (
                  <Link
                    to="/sessions/$id"
                    params={{ id: String(analyzer_session_id) }}
                    className="text-muted text-sm hover:underline"
                  >
                    analysed by session {analyzer_session_id}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  )
}
