import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge, type Tone } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Pager, type PagerProps } from '../../shared/kit/pager.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'

type Fire = Result<'triggers.fires'>['fires'][number]

const outcomes: Record<Fire['outcome'], { word: string; tone: Tone }> = {
  spawned: { word: 'started', tone: 'ok' },
  delivered: { word: 'delivered', tone: 'ok' },
  queued: { word: 'queued', tone: 'ok' },
  coalesced: { word: 'folded into another', tone: 'neutral' },
  dropped: { word: 'dropped', tone: 'needs' },
  skipped: { word: 'skipped', tone: 'neutral' },
  burst_notice: { word: 'burst', tone: 'needs' },
  suppressed: { word: 'held back', tone: 'needs' },
  failed: { word: 'failed', tone: 'failed' },
}

const sources: Record<Fire['fired_by'], string> = {
  chat: 'Chat message',
  forge_issue: 'New issue',
  forge_label: 'Label',
  schedule: 'Schedule',
  ao_event: 'Another session',
  invoke: 'By hand',
}

const columns: readonly Column<Fire>[] = [
  { name: 'at', label: 'When', cell: ({ last_fired_at }) => <Time at={last_fired_at} /> },
  { name: 'by', label: 'Fired by', isMinor: true, cell: ({ fired_by }) => sources[fired_by] },
  {
    name: 'outcome',
    label: 'Outcome',
    cell: ({ outcome, times }) => (
      <Badge tone={outcomes[outcome].tone}>{`${outcomes[outcome].word}${times > 1 ? `, ${times} times` : ''}`}</Badge>
    ),
  },
  {
    name: 'session',
    label: 'Session',
    cell: ({ session_id }) =>
      session_id !== null && (
        <Link to="/sessions/$id" params={{ id: String(session_id) }} className="text-accent-text hover:underline">
          #{session_id}
        </Link>
      ),
  },
  {
    name: 'reason',
    label: 'Why',
    cell: ({ reason }) => <span className="break-words text-muted">{reason}</span>,
  },
]

type HistoryProps = { id: string; page: number; onPage: PagerProps['onPage']; onRun: () => void }

export function FiresHistory({ id, page, onPage, onRun }: HistoryProps): ReactNode {
  const { data, error, isLoading, refetch } = useRead('triggers.fires', { id, page, per_page: 50 })
  if (error) return <ErrorNote error={error} onRetry={() => refetch()} />
  if (isLoading || !data) return <Skeleton />
  if (data.pagination.total_count === 0)
    return (
      <EmptyState icon="history" title="It has not fired yet" action={<Button onClick={onRun}>Run now</Button>}>
        Each fire is listed here with what came of it. Run it by hand to see what it does.
      </EmptyState>
    )
  return (
    <>
      <Table caption="Fires" columns={columns} rows={data.fires} keyOf={(fire) => fire.id} />
      <Pager of={data.pagination} onPage={onPage} />
    </>
  )
}
