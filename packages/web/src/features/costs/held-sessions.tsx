import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfCard } from '../board/row-words.ts'

/** The sessions whose turn waits because a budget is used up. */
export function HeldSessions(): ReactNode {
  const { data } = useRead('board.show', { view: 'ranked', section: 'queue', per_section: 100 }, { everyMs: 30_000 })
  const held = (data?.sections ?? [])
    .flatMap(({ cards }) => cards)
    .filter((card) => card.held?.reason === 'budget_exhausted')
  if (!data) return null
  return (
    <div className="border-line border-t px-3 py-2.5">
      <h3 className="font-medium text-sm">
        {held.length === 0 ? 'No turn waits for a budget' : `Held until there is room: ${held.length}`}
      </h3>
      <ul aria-label="Held sessions">
        {held.map((card) => (
          <li key={card.id} className="flex min-h-8 items-center gap-2">
            <Link to="/sessions/$id" params={{ id: String(card.id) }} className="min-w-0 truncate hover:underline">
              {nameOfCard(card)}
            </Link>
            {card.held?.since && <Time at={card.held.since} className="text-muted text-sm" />}
          </li>
        ))}
      </ul>
    </div>
  )
}
