import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState } from '../../shared/kit/notes.tsx'

/** An empty board: nothing matches, every session is off the board, or nothing was started yet. */
export default function NoSessions({ hasFilter }: { hasFilter: boolean }): ReactNode {
  return hasFilter ? <NoMatch /> : <NoneOnBoard />
}

function NoMatch(): ReactNode {
  return (
    <EmptyState
      icon="filter"
      title="No session matches these filters"
      action={
        <ButtonLink to="/" search={{}}>
          Show all
        </ButtonLink>
      }
    />
  )
}

/** Every session there is. Only their number is wanted. */
const every = { show_archived: true, view: 'touched', per_section: 1 } as const

function NoneOnBoard(): ReactNode {
  const { data, error } = useRead('board.show', every)
  if (!data && !error) return null
  if (data?.total === 0) return <NoneYet />
  return (
    <EmptyState
      icon="layout-list"
      title="Nothing on the board"
      action={
        <>
          <ButtonLink to="/" search={{ archived: true }}>
            Show archived
          </ButtonLink>
          <ButtonLink to="/" search={{ shown: 'off_board' }}>
            Show hidden and snoozed
          </ButtonLink>
        </>
      }
    />
  )
}

function NoneYet(): ReactNode {
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
      Write above what an agent should do, and press Start. It works in its own clone of a repository; the demo runtime
      needs no account.
    </EmptyState>
  )
}
