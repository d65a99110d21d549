import type { ReactNode } from 'react'
import { ButtonLink } from '../shared/kit/button.tsx'
import { EmptyState } from '../shared/kit/notes.tsx'
import { Page } from '../shared/kit/page.tsx'

export default function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState
        icon="search"
        title="There is no page at this address"
        action={
          <ButtonLink to="/" look="primary">
            Open the board
          </ButtonLink>
        }
      >
        A link may have been copied in part.
      </EmptyState>
    </Page>
  )
}
