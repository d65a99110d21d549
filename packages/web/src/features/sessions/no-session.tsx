import { Problem } from '@yardmaster/client/client'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote } from '../../shared/kit/notes.tsx'

/** A session that could not be read: a wrong address is told from a server that did not answer. */
export default function NoSession({
  id,
  error,
  onRetry,
}: {
  id: string
  error: unknown
  onRetry: () => void
}): ReactNode {
  if (!(error instanceof Problem && error.status === 404)) return <ErrorNote error={error} onRetry={onRetry} />
  return (
    <EmptyState
      icon="search"
      title={`There is no session ${id}`}
      action={
        <>
          <ButtonLink to="/search" look="primary">
            Search
          </ButtonLink>
          <ButtonLink to="/">Open the board</ButtonLink>
        </>
      }
    >
      It was deleted, or the link was copied in part.
    </EmptyState>
  )
}
