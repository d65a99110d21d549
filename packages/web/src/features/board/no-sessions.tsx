import type { ReactNode } from 'react'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState } from '../../shared/kit/notes.tsx'

/** An empty board: either nothing matches, or nothing was started yet. */
export default function NoSessions({ hasFilter }: { hasFilter: boolean }): ReactNode {
  if (hasFilter) {
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
