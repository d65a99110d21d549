import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'
import { TriggerState } from './trigger-state.tsx'

export default function TriggerPage(): ReactNode {
  const { id } = useParams({ from: '/shell/triggers/$id' })
  const { data, error, refetch } = useRead('triggers.show', { id })
  const toggle = useWrite('triggers.toggle')
  if (!data) {
    return <Page title="Trigger">{error ? <ErrorNote error={error} onRetry={() => refetch()} /> : <Skeleton />}</Page>
  }
  const { trigger, recent_sessions } = data
  return (
    <Page
      title={trigger.name}
      note={<TriggerState of={trigger} />}
      actions={
        <Button isBusy={toggle.isPending} onClick={() => toggle.mutate({ id })}>
          {trigger.status === 'enabled' ? 'Disable' : 'Enable'}
        </Button>
      }
    >
      <Panel title="Prompt">
        <pre className="overflow-x-auto whitespace-pre-wrap p-3 font-mono text-sm">{trigger.prompt_template}</pre>
      </Panel>
      <Panel title="Sessions it started">
        {recent_sessions.length === 0 && <EmptyState icon="history" title="It has started none yet" />}
        <ul>
          {recent_sessions.map((session) => (
            <li
              key={session.id}
              className="flex min-h-9 items-center gap-3 border-line border-b px-3 last:border-b-0 hover:bg-hover"
            >
              <Status of={session.status} className="w-24 shrink-0" />
              <Link
                to="/sessions/$id"
                params={{ id: String(session.id) }}
                className="grow truncate font-medium hover:underline"
              >
                {nameOfSession(session)}
              </Link>
              <Time at={session.created_at} className="text-muted text-sm" />
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  )
}
