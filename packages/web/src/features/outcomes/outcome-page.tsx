import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { outcomeTone } from './outcome-tone.ts'

export default function OutcomePage(): ReactNode {
  const { id } = useParams({ from: '/shell/outcomes/$id' })
  const { data, error, isLoading } = useRead('outcome_analyses.show', { id })
  const toasts = useToasts()
  const analyze = useWrite('outcome_analyses.analyze', {
    onSuccess: () => toasts.say('The analysis is queued'),
  })
  const analysis = data?.outcome_analysis
  return (
    <Page
      title={`Outcome of session ${id}`}
      note={analysis && <Badge tone={outcomeTone(analysis.root_outcome)}>{analysis.root_outcome}</Badge>}
      actions={
        <>
          <Button isBusy={analyze.isPending} onClick={() => analyze.mutate({ session_ids: [id] })}>
            {analysis ? 'Analyse again' : 'Analyse'}
          </Button>
          <ButtonLink to="/sessions/$id" params={{ id }}>
            Open the session
          </ButtonLink>
        </>
      }
    >
      {isLoading && <Skeleton />}
      <ErrorNote error={error} />
      {analysis && (
        <Panel title={`${analysis.segment_count} segments`}>
          <p className="whitespace-pre-wrap p-3">{analysis.notes}</p>
        </Panel>
      )}
    </Page>
  )
}
