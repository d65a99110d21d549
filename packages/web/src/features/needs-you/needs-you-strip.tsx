import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useOneAtATime } from '../../shared/api/one-at-a-time.ts'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { useBoardActions } from '../board/board-actions.ts'
import { nameOfCard } from '../board/row-words.ts'
import { Countdown } from '../elicitations/countdown.tsx'
import { isPlain, needOf } from './need-words.ts'
import { mostInStrip, type NeedySession, useNeedsYou } from './use-needs-you.ts'
import { useRestart } from './use-restart.ts'

/** The most urgent of what waits for a person, above the board. The inbox has all of it. */
export default function NeedsYouStrip(): ReactNode {
  const { data, count } = useNeedsYou()
  const sessions = data?.sessions ?? []
  if (sessions.length === 0) return null
  return (
    <section aria-label="Needs you" className="border-line border-b">
      <header className="flex h-9 items-center gap-2 bg-needs-soft px-3">
        <h2 className="font-semibold text-needs text-sm">Needs you {count}</h2>
        <Link to="/inbox" className="ml-auto inline-flex h-6 items-center text-muted text-sm hover:underline">
          {count > mostInStrip ? `All ${count} in the inbox` : 'Open the inbox'}
        </Link>
      </header>
      {/* On a phone the inbox is one tab away, and the board would begin below the fold. */}
      <ul className="max-md:hidden">
        {sessions.slice(0, mostInStrip).map((session) => (
          <Line key={session.card.id} session={session} />
        ))}
      </ul>
    </section>
  )
}

function Line({ session }: { session: NeedySession }): ReactNode {
  const { card, elicitations } = session
  const { icon, word, color, text } = needOf(session)
  const [question] = elicitations
  return (
    <li className="flex min-h-9 items-center gap-2.5 border-line border-t bg-surface py-0.5 pr-3 pl-4.5">
      <span className={`inline-flex w-28 shrink-0 items-center gap-1.5 font-medium text-sm ${color}`}>
        <Icon name={icon} size={14} />
        {word}
      </span>
      <Link
        to="/inbox"
        hash={`session-${card.id}`}
        className="min-w-0 max-w-[40%] shrink-0 truncate font-medium hover:underline"
      >
        {nameOfCard(card)}
      </Link>
      <span className="min-w-0 grow truncate text-muted text-sm">{text}</span>
      {question && (
        <span className="shrink-0 text-muted text-sm">
          <Countdown to={question.expires_at} />
        </span>
      )}
      <span className="flex shrink-0 gap-1.5">
        <Deeds session={session} />
      </span>
    </li>
  )
}

function Deeds({ session }: { session: NeedySession }): ReactNode {
  const { card, elicitations, transition_id } = session
  const actions = useBoardActions()
  const respond = useOneAtATime(useWrite('elicitations.respond', { refreshes: ['needs_you', 'board', 'sessions'] }))
  const restart = useRestart(session)
  const { kind } = needOf(session)
  const [question] = elicitations
  const inInbox = (label: string) => (
    <ButtonLink size="sm" to="/inbox" hash={`session-${card.id}`}>
      {label}
    </ButtonLink>
  )
  if (kind === 'question') {
    if (!question || !isPlain(question)) return inInbox('Answer')
    const answer = (action_type: 'accept' | 'decline') => respond.mutate({ id: String(question.id), action_type })
    return (
      <>
        <Button size="sm" look="primary" isBusy={respond.isPending} onClick={() => answer('accept')}>
          Accept
        </Button>
        <Button size="sm" disabled={respond.isPending} onClick={() => answer('decline')}>
          Decline
        </Button>
      </>
    )
  }
  if (kind === 'failed') {
    return (
      <Button size="sm" icon="rotate-ccw" onClick={restart}>
        Restart
      </Button>
    )
  }
  if (kind === 'oauth_required') return inInbox('See')
  return (
    <>
      {inInbox('Follow up')}
      <Button size="sm" look="quiet" icon="check" onClick={() => actions.markSeen(card, transition_id)}>
        Seen
      </Button>
    </>
  )
}
