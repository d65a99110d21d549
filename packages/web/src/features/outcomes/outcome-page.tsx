import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Problem } from '@yardmaster/client/client'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { PageOfOne } from '../../shared/kit/page-of-one.tsx'
import { Segments } from '../../shared/kit/segments.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { BatchProgress } from './batch-progress.tsx'
import type { Analysis } from './flame.ts'
import { FlameGraph } from './flame-graph.tsx'
import { outcomeTone } from './outcome-tone.ts'
import { SegmentTree } from './segment-tree.tsx'

export default function OutcomePage(): ReactNode {
  return <PageOfOne of={ShownOutcome} />
}

function ShownOutcome({ id }: { id: string }): ReactNode {
  const { data, error, isLoading } = useRead('outcome_analyses.show', { id })
  const [batch, setBatch] = useState<number>()
  const analyze = useWrite('outcome_analyses.analyze', {
    onSuccess: ({ analysis_batch }) => setBatch(analysis_batch.id),
  })
  const isMissing = error instanceof Problem && error.status === 404
  const analysis = isMissing ? undefined : data?.outcome_analysis
  const start = () => analyze.mutate({ session_ids: [id] })
  return (
    <Page
      title={`Outcome of ${analysis?.session_title ?? `session ${id}`}`}
      note={analysis && <Summary analysis={analysis} />}
      actions={
        <>
          <ButtonLink to="/sessions/$id" params={{ id }}>
            Open the session
          </ButtonLink>
          <Button icon="sparkles" isBusy={analyze.isPending} onClick={start}>
            {analysis ? 'Analyse again' : 'Analyse'}
          </Button>
        </>
      }
    >
      {batch !== undefined && <BatchProgress id={batch} onClose={() => setBatch(undefined)} />}
      {isLoading && <Skeleton />}
      {isMissing ? (
        <EmptyState icon="chart-column" title="This session has no analysis">
          An archived session can be analysed: its transcript is cut into segments, each with a goal and an outcome.
        </EmptyState>
      ) : (
        <ErrorNote error={error} />
      )}
      {analysis && (
        <>
          {analysis.notes && <p className="whitespace-pre-wrap">{analysis.notes}</p>}
          <Tree analysis={analysis} sessionId={id} />
        </>
      )}
    </Page>
  )
}

function Summary({ analysis }: { analysis: Analysis }): ReactNode {
  const { root_outcome, segment_count, failure_segment_count, analyzed_at, analyzer_session_id } = analysis
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={outcomeTone(root_outcome)}>{root_outcome}</Badge>
      {segment_count} segments, {failure_segment_count} failed · analysed <Time at={analyzed_at} />
      {analyzer_session_id !== null && (
        <Link to="/sessions/$id" params={{ id: String(analyzer_session_id) }} className="hover:underline">
          by session {analyzer_session_id}
        </Link>
      )}
    </span>
  )
}

function Tree({ analysis: { root }, sessionId }: { analysis: Analysis; sessionId: string }): ReactNode {
  const { view = 'graph' } = useSearch({ from: '/shell/outcomes/$id' })
  const navigate = useNavigate()
  const show = (chosen: 'graph' | 'text') =>
    void navigate({
      to: '/outcomes/$id',
      params: { id: sessionId },
      search: chosen === 'text' ? { view: chosen } : {},
    })
  return (
    <Panel
      title="Segments"
      actions={
        <Segments
          label="View of the segments"
          value={view}
          onChange={show}
          options={[
            { value: 'graph', label: 'Graph' },
            { value: 'text', label: 'Text' },
          ]}
        />
      }
    >
      {view === 'graph' ? (
        <FlameGraph root={root} sessionId={sessionId} />
      ) : (
        <ul aria-label="Segments as text" className="p-3">
          <SegmentTree segment={root} sessionId={sessionId} />
        </ul>
      )}
    </Panel>
  )
}
