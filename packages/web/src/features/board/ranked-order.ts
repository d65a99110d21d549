import { call } from '../../shared/api/client.ts'
import type { BoardCard } from './board-cache.ts'
import type { CardPlace } from './move-card.ts'

/** The server leaves as many free ranks when it places a session on top. */
const gap = 5

/** Gives a card, and as many above it as it needs, the precedences that put it at a place. */
export function ranking(cards: readonly BoardCard[], id: number, to: CardPlace) {
  const ranks = ranksAfterMove(cards, id, to)
  const rankOf = (card: BoardCard) => ({ precedence: ranks.get(card.id) ?? card.precedence })
  return {
    changed: cards.filter((card) => ranks.has(card.id)),
    rankOf,
    act: (each: string, card: BoardCard) => call('sessions.update', { id: each, ...rankOf(card) }),
  }
}

type Ranked = Pick<BoardCard, 'id' | 'precedence' | 'priority_class'>

/**
 * The precedences that put a card at a place of its section, as few as possible. The card takes a free rank between its neighbours;
 * where none is free, the cards above it move up by one until there is. Only cards of its class count: precedence orders within a class.
 */
export function ranksAfterMove(
  cards: readonly Ranked[],
  id: number,
  { beforeId, afterId }: Omit<CardPlace, 'key'>,
): ReadonlyMap<number, number> {
  const moved = cards.find((card) => card.id === id)
  if (!moved) return new Map()
  const rest = cards.filter((card) => card !== moved)
  const target = rest.findIndex((card) => card.id === (beforeId ?? afterId))
  const end = beforeId === undefined ? target + 1 : target
  const isOfClass = (card: Ranked) => card.priority_class === moved.priority_class
  const above = rest.slice(0, end).filter(isOfClass)
  const below = rest.slice(end).find(isOfClass)?.precedence
  const next = above.at(-1)?.precedence
  if (below === undefined) return new Map(next === undefined ? [] : [[id, next - gap]])
  if (next === undefined) return new Map([[id, below + gap]])
  if (next - below >= 2) return new Map([[id, below + Math.floor((next - below) / 2)]])
  const ranks = new Map([[id, below + 1]])
  let needed = below + 2
  for (const card of above.toReversed()) {
    if (card.precedence >= needed) break
    ranks.set(card.id, needed)
    needed += 1
  }
  return ranks
}
