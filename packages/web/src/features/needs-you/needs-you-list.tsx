import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'
import type { Waiting } from './use-needs-you.ts'

export function NeedsYouList({ items }: { items: readonly Waiting[] }): ReactNode {
  return (
    <ul className="divide-y divide-line">
      {items.map((item) => (
        <li key={item.key} className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2 hover:bg-hover">
          {item.kind === 'question' ? <Question item={item} /> : <Resting item={item} />}
        </li>
      ))}
    </ul>
  )
}

function Question({ item: { elicitation } }: { item: Extract<Waiting, { kind: 'question' }> }): ReactNode {
  const { id, session_id, message, expires_at, requested_schema } = elicitation
  const respond = useWrite('elicitations.respond', { refreshes: ['sessions'] })
  const hasFields = Object.keys((requested_schema?.properties as object | undefined) ?? {}).length > 0
  const answer = (action_type: 'accept' | 'decline') => respond.mutate({ id: String(id), action_type })
  return (
    <>
      <Icon name="message-circle-question-mark" className="text-needs" />
      <span className="min-w-0 grow basis-60">
        <span className="line-clamp-2">{message}</span>
        <span className="text-muted text-sm">
          Session {session_id}
          {expires_at && (
            <>
              {' · expires '}
              <Time at={expires_at} />
            </>
          )}
        </span>
      </span>
      <span className="flex gap-1.5">
        {!hasFields && (
          <Button size="sm" look="primary" isBusy={respond.isPending} onClick={() => answer('accept')}>
            Accept
          </Button>
        )}
        <Button size="sm" disabled={respond.isPending} onClick={() => answer('decline')}>
          Decline
        </Button>
        <ButtonLink size="sm" to="/sessions/$id" params={{ id: String(session_id) }}>
          Open
        </ButtonLink>
      </span>
    </>
  )
}

function Resting({ item: { session } }: { item: Extract<Waiting, { kind: 'failed' | 'needs_input' }> }): ReactNode {
  const restart = useWrite('sessions.restart')
  const params = { id: String(session.id) }
  return (
    <>
      <Status of={session.status} className="w-24" />
      <Link to="/sessions/$id" params={params} className="min-w-0 grow basis-60 truncate font-medium hover:underline">
        {nameOfSession(session)}
      </Link>
      <Time at={session.updated_at} className="text-muted text-sm" />
      <span className="flex gap-1.5">
        {session.status === 'failed' && (
          <Button size="sm" isBusy={restart.isPending} onClick={() => restart.mutate(params)}>
            Restart
          </Button>
        )}
        <ButtonLink size="sm" to="/sessions/$id" params={params}>
          Open
        </ButtonLink>
      </span>
    </>
  )
}
