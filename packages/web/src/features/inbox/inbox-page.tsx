import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page } from '../../shared/kit/page.tsx'
import { useNeedsYou } from '../needs-you/use-needs-you.ts'
import { InboxCard } from './inbox-card.tsx'
import { FailedTriggers, HeldSessions } from './inbox-lists.tsx'
import { placeOfHeld, placeOfSession, placeOfTrigger } from './places.ts'
import { useInboxKeys } from './use-inbox-keys.ts'

/** Everything that waits for a person, answered where it stands. */
export default function InboxPage(): ReactNode {
  const { data, count, isLoading, error, refetch } = useNeedsYou()
  const { hash, state } = useLocation()
  const [cursor, setCursor] = useState<string>()
  const sessions = data?.sessions ?? []
  const places = [
    ...sessions.map(placeOfSession),
    ...(data?.triggers ?? []).map(placeOfTrigger),
    ...(data?.held ?? []).map(placeOfHeld),
  ]
  const focus = useCallback((id: string) => {
    setCursor(id)
    const place = document.getElementById(id)
    place?.scrollIntoView({ block: 'nearest' })
    place?.querySelector('a')?.focus({ preventScroll: true })
  }, [])
  const isLinkedHere = places.includes(hash)
  const navigation = state.__TSR_key
  const followed = useRef<string | null>(null)
  useEffect(() => {
    // Once: a card that leaves and comes back is not where the person is by then.
    if (!isLinkedHere || followed.current === navigation) return
    followed.current = navigation ?? ''
    // Outside a field the next letters of someone who types are commands, which answer questions.
    if (!document.activeElement?.matches('input, textarea, select')) focus(hash)
  }, [isLinkedHere, navigation, hash, focus])
  useInboxKeys(places, cursor, focus)
  const isEmpty = data && count === 0 && data.held_total === 0
  return (
    <Page
      title="Inbox"
      width="narrow"
      note={count > 0 ? `${count} ${count === 1 ? 'needs' : 'need'} you; questions first` : undefined}
    >
      <ErrorNote error={error} onRetry={refetch} />
      {isLoading && <Skeleton />}
      {isEmpty && (
        <EmptyState
          icon="circle-check"
          title="Nothing needs you"
          action={
            <>
              <ButtonLink to="/sessions/new" look="primary" icon="plus">
                New session
              </ButtonLink>
              <ButtonLink to="/">Open the board</ButtonLink>
            </>
          }
        >
          Questions of agents, failures and finished work appear here as they happen. Start a session, or turn on
          notifications to be told on this device.
        </EmptyState>
      )}
      {sessions.length > 0 && (
        <ul className="flex flex-col gap-3">
          {sessions.map((session) => (
            <InboxCard
              key={session.card.id}
              session={session}
              isAtCursor={placeOfSession(session) === cursor}
              onCursor={setCursor}
            />
          ))}
        </ul>
      )}
      {data && sessions.length < data.sessions_total && (
        <p className="text-muted">
          {sessions.length} of {data.sessions_total} are shown; the others follow as these are done.
        </p>
      )}
      {data && (
        <FailedTriggers triggers={data.triggers} total={data.triggers_total} {...{ cursor, onCursor: setCursor }} />
      )}
      {data && <HeldSessions cards={data.held} total={data.held_total} {...{ cursor, onCursor: setCursor }} />}
    </Page>
  )
}
