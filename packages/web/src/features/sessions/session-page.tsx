import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Code } from '../../shared/kit/copy-button.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { ElicitationForm } from '../elicitations/elicitation-form.tsx'
import { FollowUp } from './follow-up.tsx'
import { nameOfSession } from './name-of-session.ts'

export default function SessionPage(): ReactNode {
  const { id } = useParams({ from: '/shell/sessions/$id' })
  const shown = useRead('sessions.show', { id })
  const transcript = useRead('sessions.transcript', { id, format: 'text' })
  const session = shown.data?.session
  const asked = useRead('elicitations.list', { session_id: id, status: 'pending' })
  if (!session) {
    return (
      <Page title="Session">
        {shown.error ? <ErrorNote error={shown.error} onRetry={() => shown.refetch()} /> : <Skeleton />}
      </Page>
    )
  }
  return (
    <Page
      title={nameOfSession(session)}
      note={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Status of={session.status} />
          <span>
            {session.agent_runtime} · {session.branch}
          </span>
          <span>
            changed <Time at={session.updated_at} />
          </span>
          {session.slug && <Code label="slug">{session.slug}</Code>}
          <Link to="/outcomes/$id" params={{ id }} className="text-accent-text hover:underline">
            Outcome
          </Link>
        </span>
      }
    >
      <Panel title="Transcript">
        {transcript.isLoading && <Skeleton />}
        <ErrorNote error={transcript.error} />
        {transcript.data !== undefined && (
          <pre className="max-h-[60dvh] overflow-auto whitespace-pre-wrap p-3 font-mono text-sm">
            {transcriptText(transcript.data) || 'The agent has written nothing yet.'}
          </pre>
        )}
      </Panel>
      {asked.data?.elicitations.map((elicitation) => (
        <Panel key={elicitation.id}>
          <div className="p-4">
            <ElicitationForm elicitation={elicitation} />
          </div>
        </Panel>
      ))}
      <FollowUp session={session} />
    </Page>
  )
}

function transcriptText(answer: unknown): string {
  if (typeof answer === 'string') return answer
  return typeof answer === 'object' && answer !== null && 'transcript' in answer ? String(answer.transcript ?? '') : ''
}
