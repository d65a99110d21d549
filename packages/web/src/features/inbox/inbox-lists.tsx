import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useOneAtATime } from '../../shared/api/one-at-a-time.ts'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time, useNow } from '../../shared/kit/time.tsx'
import { useBoardActions } from '../board/board-actions.ts'
import type { BoardCard } from '../board/board-cache.ts'
import { isParked, lastWords, nameOfCard } from '../board/row-words.ts'
import type { NeedsYou } from '../needs-you/use-needs-you.ts'
import { placeOfHeld, placeOfTrigger } from './places.ts'

/** The name and what is known of it: one line, on a phone two. */
const about = 'flex min-w-0 grow flex-col md:flex-row md:items-center md:gap-3'
const known = 'flex min-w-0 grow gap-3 text-muted text-sm md:justify-between'
const name = 'min-w-0 truncate font-medium hover:underline'

type Cursor = { cursor: string | undefined; onCursor: (id: string) => void }

/** A line that the keys reach. */
function Line({ id, cursor, onCursor, children }: Cursor & { id: string; children: ReactNode }): ReactNode {
  return (
    <li
      id={id}
      data-cursor={id === cursor || undefined}
      onFocus={() => onCursor(id)}
      className="flex min-h-10 items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0 data-cursor:shadow-[inset_2px_0_0_var(--color-accent)]"
    >
      {children}
    </li>
  )
}

type FailedTrigger = NeedsYou['triggers'][number]

export function FailedTriggers({
  triggers,
  total,
  ...keys
}: Cursor & { triggers: readonly FailedTrigger[]; total: number }): ReactNode {
  if (triggers.length === 0) return null
  return (
    <Panel title={`Failed triggers ${total}`}>
      <ul>
        {triggers.map((trigger) => (
          <FailedTriggerLine key={trigger.id} trigger={trigger} {...keys} />
        ))}
      </ul>
    </Panel>
  )
}

function FailedTriggerLine({ trigger, ...keys }: Cursor & { trigger: FailedTrigger }): ReactNode {
  const { name: title, agent_root_name, failed_at, last_error, last_session_id } = trigger
  const id = String(trigger.id)
  const enable = useOneAtATime(useWrite('triggers.update', { refreshes: ['needs_you'] }))
  return (
    <Line id={placeOfTrigger(trigger)} {...keys}>
      <Icon name="octagon-x" size={14} className="text-failed" />
      <span className={about}>
        <Link to="/triggers/$id" params={{ id }} className={name}>
          {title}
        </Link>
        <span className={known}>
          <span className="min-w-0 truncate" data-tip={last_error}>
            {last_error ?? agent_root_name}
          </span>
          {failed_at && <Time at={failed_at} />}
        </span>
      </span>
      {last_session_id !== undefined && (
        <ButtonLink
          size="sm"
          look="quiet"
          to="/sessions/$id"
          params={{ id: String(last_session_id) }}
          className="max-md:hidden"
        >
          Last session
        </ButtonLink>
      )}
      <Button size="sm" isBusy={enable.isPending} onClick={() => enable.mutate({ id, status: 'enabled' })} data-key="a">
        Enable again
      </Button>
    </Line>
  )
}

/** They go on by themselves; a person may let one jump the queue, but not a budget or the accounts. */
export function HeldSessions({
  cards,
  total,
  ...keys
}: Cursor & { cards: readonly BoardCard[]; total: number }): ReactNode {
  const now = useNow(60_000)
  if (cards.length === 0) return null
  return (
    <Panel title={`Held ${total}`}>
      <ul>
        {cards.map((card) => (
          <Line key={card.id} id={placeOfHeld(card)} {...keys}>
            <Icon name="hourglass" size={14} className="text-muted" />
            <span className={about}>
              <Link to="/sessions/$id" params={{ id: String(card.id) }} className={name}>
                {nameOfCard(card)}
              </Link>
              <span className={known}>
                <span className="min-w-0 truncate">{lastWords(card, now)}</span>
                {card.held?.since && <Time at={card.held.since} className="max-md:hidden" />}
              </span>
            </span>
            <WhatHelps card={card} />
          </Line>
        ))}
      </ul>
    </Panel>
  )
}

function WhatHelps({ card }: { card: BoardCard }): ReactNode {
  const actions = useBoardActions()
  if (isParked(card))
    return (
      <ButtonLink size="sm" to="/inference" search={{ runtime: card.agent_runtime }} data-key="a">
        Accounts
      </ButtonLink>
    )
  if (card.held?.reason === 'budget_exhausted')
    return (
      <ButtonLink size="sm" to="/costs" data-key="a">
        Budgets
      </ButtonLink>
    )
  return (
    <Button
      size="sm"
      icon="zap"
      onClick={() => actions.setPriority([card], { scheduling_class: 'priority' })}
      data-key="a"
    >
      Start now
    </Button>
  )
}
