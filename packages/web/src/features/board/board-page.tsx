import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Panel, useTitle } from '../../shared/kit/page.tsx'
import { statusWord } from '../../shared/kit/status.tsx'
import { NeedsYouList } from '../needs-you/needs-you-list.tsx'
import { useNeedsYou } from '../needs-you/use-needs-you.ts'
import { SessionRow } from './session-row.tsx'

const filters = ['running', 'needs_input', 'waiting', 'failed', 'archived'] as const

/** What needs a person on top, then every session. */
export default function BoardPage(): ReactNode {
  useTitle('Board')
  const { status } = useSearch({ from: '/shell/' })
  const waiting = useNeedsYou()
  const sessions = useRead('sessions.list', { ...(status && { status }), per_page: 100 })
  const rows = sessions.data?.sessions ?? []
  return (
    <div className="flex flex-col gap-4 p-3 md:p-4">
      <h1 className="unseen">Board</h1>
      {waiting.items.length > 0 && (
        <Panel title={`Needs you ${waiting.items.length}`}>
          <NeedsYouList items={waiting.items} />
        </Panel>
      )}
      <Panel title="Sessions" actions={<Filters current={status} />}>
        <ErrorNote error={sessions.error} onRetry={() => sessions.refetch()} />
        {sessions.isLoading && <Skeleton rows={10} />}
        {sessions.data && rows.length === 0 && <NoSessions isFiltered={status !== undefined} />}
        <ul>
          {rows.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Panel>
    </div>
  )
}

function Filters({ current }: { current: string | undefined }): ReactNode {
  const chip =
    'inline-flex h-7 items-center whitespace-nowrap rounded-md px-2 text-sm font-medium text-muted hover:bg-hover hover:text-text data-current:bg-selected data-current:text-accent-text'
  return (
    <nav aria-label="Filter" className="flex gap-0.5 overflow-x-auto">
      <Link to="/" search={{}} data-current={current === undefined || undefined} className={chip}>
        All
      </Link>
      {filters.map((status) => (
        <Link key={status} to="/" search={{ status }} data-current={current === status || undefined} className={chip}>
          {statusWord(status)}
        </Link>
      ))}
    </nav>
  )
}

function NoSessions({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered) {
    return (
      <EmptyState
        icon="filter"
        title="No session matches this filter"
        action={
          <ButtonLink to="/" search={{}}>
            Show all
          </ButtonLink>
        }
      />
    )
  }
  return (
    <EmptyState
      icon="layout-list"
      title="No sessions yet"
      action={
        <ButtonLink to="/sessions/new" look="primary" icon="plus">
          Start the first one
        </ButtonLink>
      }
    >
      A session is an agent that works in its own clone of a repository. The demo runtime needs no account.
    </EmptyState>
  )
}
