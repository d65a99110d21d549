import type { ReactNode } from 'react'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { NeedsYouList } from '../needs-you/needs-you-list.tsx'
import { useNeedsYou } from '../needs-you/use-needs-you.ts'

export default function InboxPage(): ReactNode {
  const { items, isLoading, error } = useNeedsYou()
  return (
    <Page title="Inbox" note={items.length > 0 ? `${items.length} need you, the longest wait first` : undefined}>
      <ErrorNote error={error} />
      <Panel>
        {isLoading && <Skeleton />}
        {!isLoading && items.length === 0 && (
          <EmptyState
            icon="circle-check"
            title="Nothing needs you"
            action={
              <ButtonLink to="/sessions/new" look="primary" icon="plus">
                New session
              </ButtonLink>
            }
          >
            Questions of agents, failures and finished work appear here as they happen.
          </EmptyState>
        )}
        <NeedsYouList items={items} />
      </Panel>
    </Page>
  )
}
