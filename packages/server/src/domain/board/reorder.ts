import type { CategoryRef } from '@yardmaster/contract/board/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { type Card, lockSession, recordCardOrder, recordCardSection } from '../sessions/session.ts'
import { lockSections, selectCards } from './card-store.ts'
import { boardReordered } from './events.ts'
import { findSection } from './section.ts'

export type ReorderRequest = { ids: readonly number[]; section: CategoryRef; moved: SessionRef | undefined }
export type Ordered = { category_id: number | null; session_ids: number[] }

/**
 * Orders the cards of one section. A moved card goes next to its neighbours in the list. Without a moved card, the listed
 * cards are rearranged within the positions that they already occupy.
 */
export async function reorderCards(app: App, { ids, section: wanted, moved }: ReorderRequest): Promise<Ordered> {
  return transact(app.db, async (tx) => {
    const section = await findSection(tx, wanted)
    const card = moved && (await lockSession(tx, moved))
    await lockSections(tx, card ? [section, card.category_id] : [section])
    if (card && card.category_id !== section) await recordCardSection(tx, card.id, section)
    const cards = await distinctCards(tx, section)
    const listed = listedCards(ids, cards)
    await recordCardOrder(
      tx,
      card && listed.includes(card.id) ? moveCard(cards, listed, card.id) : rearrange(cards, listed),
    )
    await app.events.publish(tx, boardReordered, {
      ...(card && { sessionId: card.id }),
      payload: { category_id: section },
    })
    const ordered = await selectCards(tx, section)
    return { category_id: section, session_ids: ordered.map(({ id }) => id) }
  })
}

/** Ignores repeats and ids that are not cards of the section. */
function listedCards(ids: readonly number[], cards: readonly Card[]): number[] {
  const inSection = new Set(cards.map(({ id }) => id))
  return [...new Set(ids)].filter((id) => inSection.has(id))
}

/** Renumbers the section if two cards share a `sort_order`: no value would fit between them. */
async function distinctCards(tx: Transaction, section: number | null): Promise<Card[]> {
  const cards = await selectCards(tx, section)
  if (new Set(cards.map(({ sort_order }) => sort_order)).size === cards.length) return cards
  const numbered = cards.map(({ id }, index) => ({ id, sort_order: index }))
  await recordCardOrder(tx, numbered)
  return numbered
}

/** Directly above the next listed card, or below the previous one if it is the last. A card listed alone does not move. */
function moveCard(cards: readonly Card[], listed: readonly number[], id: number): Card[] {
  const others = cards.filter((card) => card.id !== id)
  const next = listed[listed.indexOf(id) + 1]
  const previous = listed[listed.indexOf(id) - 1]
  if (next === undefined && previous === undefined) return []
  const at =
    next !== undefined
      ? others.findIndex((card) => card.id === next)
      : others.findIndex((card) => card.id === previous) + 1
  const value = between(others[at - 1], others[at])
  if (value !== undefined) return [{ id, sort_order: value }]
  return others.toSpliced(at, 0, { id, sort_order: 0 }).map((card, index) => ({ ...card, sort_order: index }))
}

/** Undefined when no floating-point number is left between the two neighbours. */
function between(above: Card | undefined, below: Card | undefined): number | undefined {
  if (!above) return below ? below.sort_order - 1 : 0
  if (!below) return above.sort_order + 1
  const middle = above.sort_order + (below.sort_order - above.sort_order) / 2
  return middle > above.sort_order && middle < below.sort_order ? middle : undefined
}

/** Assigns the listed cards, in order, to the positions that they occupy together. */
function rearrange(cards: readonly Card[], listed: readonly number[]): Card[] {
  const wanted = new Set(listed)
  const places = cards.filter(({ id }) => wanted.has(id)).map(({ sort_order }) => sort_order)
  return listed.flatMap((id, index) => {
    const sort_order = places[index]
    return sort_order === undefined ? [] : [{ id, sort_order }]
  })
}
