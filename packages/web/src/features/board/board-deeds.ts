import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../shared/api/client.ts'
import { type Undo, writeInOrder } from '../../shared/api/hooks.ts'
import { sentencesOf } from '../../shared/kit/notes.tsx'
import { viewerZone } from '../../shared/kit/time.tsx'
import type { useToasts } from '../../shared/kit/toasts.tsx'
import { isQueuedRefusal } from '../sessions/queued-refusal.ts'
import { type BoardCard, type BoardSection, type CardChange, patchCards } from './board-cache.ts'
import type { Report } from './bulk-report.tsx'
import { type CardPlace, moveCard } from './move-card.ts'
import { ranking } from './ranked-order.ts'
import { nameOfCard } from './row-words.ts'

type Deed = {
  /** What to say afterwards, before the name: "Archived". Nothing is said without it. */
  done?: string
  /**
   * Shows it ahead of the server, and answers how to take each part back. Such deeds reach the server in the order in which they were
   * done; one that shows nothing may take as long as an agent or a clone, and no other waits for it.
   */
  show?: (card: BoardCard) => readonly (Undo | undefined)[]
  act: (id: string, card: BoardCard) => Promise<unknown>
  undo?: (id: string, card: BoardCard) => Promise<unknown>
  /** Does it to those that refused only because messages wait in their queues. */
  discardingQueued?: (cards: readonly BoardCard[]) => unknown
}

const atOnce = 6
/** The resource of the order: the page of a session writes in the same one. */
const resource = 'sessions'
const touched = [resource, 'board', 'needs_you', 'enqueued_messages', 'notifications']

/** What can be done to one session or many. Each answers whether none refused. */
export function createDeeds(
  cache: QueryClient,
  toasts: ReturnType<typeof useToasts>,
  /** Where refusals are shown together, while there is such a place. */
  reporter: () => ((report: Report) => void) | undefined,
) {
  const patch = (card: BoardCard, change: CardChange) => patchCards(cache, new Map([[card.id, change]]))

  const perform = (cards: readonly BoardCard[], deed: Deed): Promise<boolean> => {
    const { show } = deed
    const takeBack = new Map<number, readonly Undo[]>()
    const showAll = (deedOf: NonNullable<Deed['show']>) => {
      for (const card of cards) {
        const undone = deedOf(card).filter((undo) => undo !== undefined)
        if (undone.length > 0) takeBack.set(card.id, undone)
      }
      // A card that is refused is taken back by itself.
      return takeBack.size > 0 ? () => undefined : undefined
    }
    return writeInOrder(cache, {
      touched,
      show: show && (() => showAll(show)),
      send: async () => {
        const refusals: Refusal[] = []
        await inTurn(cards, async (card) => {
          try {
            await deed.act(String(card.id), card)
          } catch (error) {
            for (const undo of takeBack.get(card.id) ?? []) undo()
            refusals.push({ card, error })
          }
        })
        sayWhatWasDone(cards, deed, refusals)
        return refusals.length === 0
      },
    })
  }

  const sayWhatWasDone = (cards: readonly BoardCard[], deed: Deed, refusals: readonly Refusal[]) => {
    const { done, undo, discardingQueued } = deed
    const succeeded = cards.filter((card) => !refusals.some((refusal) => refusal.card === card))
    const [only] = succeeded
    if (done && only) {
      const what = succeeded.length === 1 ? `“${nameOfCard(only)}”` : `${succeeded.length} sessions`
      toasts.say(`${done} ${what}`, undo && { undo: () => void perform(succeeded, { act: undo }) })
    }
    const queued = refusals.filter(({ error }) => isQueuedRefusal(error)).map(({ card }) => card)
    const report = reporter()
    const anyway = discardingQueued && queued.length > 0 ? () => discardingQueued(queued) : undefined
    if (refusals.length > 0 && ((cards.length === 1 && !anyway) || !report))
      for (const { error } of refusals) toasts.complain(error)
    else if (refusals.length > 0) {
      report?.({
        done: done ?? 'Changed',
        count: succeeded.length,
        refusals: refusals.map(({ card, error }) => ({
          id: card.id,
          name: nameOfCard(card),
          sentence: sentencesOf(error).join(' '),
        })),
        anyway,
      })
    }
  }

  /** Until the server has the writes that were sent in order before. Nothing waits for what comes after it. */
  const afterOthers = () =>
    cache
      .getMutationCache()
      .build(cache, { scope: { id: resource }, mutationFn: async () => undefined })
      .execute(undefined)

  const bringBack = (id: string) => call('sessions.update_visibility', { id, visibility: 'visible' })

  const archive = (cards: readonly BoardCard[], { force = false } = {}): Promise<boolean> =>
    perform(cards, {
      done: 'Archived',
      show: (card) => [patch(card, { status: 'archived' })],
      act: (id) => call('sessions.archive', force ? { id, force } : { id }),
      undo: (id) => call('sessions.unarchive', { id }),
      discardingQueued: (queued) => archive(queued, { force: true }),
    })

  /** Puts a card before another one of a section, or to the top of it. */
  const place = (card: BoardCard, to: CardPlace): Promise<boolean> =>
    perform([card], {
      show: () => [moveCard(cache, card.id, to)],
      act: (id) => {
        const [, category = null] = /^category:(\d+)$/.exec(to.key) ?? []
        if (to.beforeId === undefined && to.afterId === undefined)
          return call('sessions.set_category', { id, category_id: category })
        const ids = [
          ...(to.afterId === undefined ? [] : [to.afterId]),
          card.id,
          ...(to.beforeId === undefined ? [] : [to.beforeId]),
        ]
        return call('sessions.reorder', { session_id: id, category_id: category, ids })
      },
    })

  /** Puts a card of the ranked view at a place of its section. */
  const rank = (card: BoardCard, to: CardPlace, cards: readonly BoardCard[]): Promise<boolean> => {
    const { changed, ...deed } = ranking(cards, card.id, to)
    return perform(changed, {
      ...deed,
      show: (each) => [patch(each, deed.rankOf(each)), each.id === card.id ? moveCard(cache, card.id, to) : undefined],
    })
  }

  /** By category a card has a place of its own; in the ranked view its precedence is its place. */
  const move = (card: BoardCard, to: CardPlace, board: Places): Promise<boolean> =>
    board.isRanked ? rank(card, to, cardsOf(board, to.key)) : place(card, to)

  return {
    archive,
    unarchive: async (cards: readonly BoardCard[]) => {
      // The archive that it takes back may still be on its way.
      await afterOthers()
      return perform(cards, { done: 'Restored', act: (id) => call('sessions.unarchive', { id }) })
    },
    restart: (cards: readonly BoardCard[]) =>
      perform(cards, { done: 'Restarted', act: (id) => call('sessions.restart', { id }) }),
    refresh: (cards: readonly BoardCard[]) =>
      perform(cards, { done: 'Read again', act: (id) => call('sessions.refresh', { id }) }),
    pause: (cards: readonly BoardCard[]) =>
      perform(cards, { done: 'Paused', act: (id) => call('sessions.pause', { id }) }),
    sleep: (cards: readonly BoardCard[]) =>
      perform(cards, { done: 'Put to sleep', act: (id) => call('sessions.sleep', { id }) }),
    toggleFavorite: (card: BoardCard) =>
      perform([card], {
        show: (card) => [patch(card, { favorited: card.favorited ? undefined : true })],
        act: (id) => call('sessions.toggle_favorite', { id }),
      }),
    hide: (cards: readonly BoardCard[]) =>
      perform(cards, {
        done: 'Hidden',
        show: (card) => [patch(card, { visibility: 'hidden' })],
        act: (id) => call('sessions.update_visibility', { id, visibility: 'hidden' }),
        undo: bringBack,
      }),
    show: (cards: readonly BoardCard[]) =>
      perform(cards, {
        done: 'On the board again:',
        show: (card) => [patch(card, { visibility: undefined })],
        act: bringBack,
      }),
    /** `until` is a time on the viewer's clock. */
    snooze: (cards: readonly BoardCard[], until: string) =>
      perform(cards, {
        done: 'Snoozed',
        show: (card) => [patch(card, { visibility: 'snoozed' })],
        act: (id) =>
          call('sessions.update_visibility', { id, visibility: 'snoozed', snoozed_until: until, timezone: viewerZone }),
        undo: bringBack,
      }),
    setCategory: (cards: readonly BoardCard[], category: { id: number | null; name: string }) =>
      perform(cards, {
        done: `Moved to ${category.name}:`,
        show: (card) => [
          moveCard(cache, card.id, { key: category.id === null ? 'uncategorized' : `category:${category.id}` }),
        ],
        act: (id) => call('sessions.set_category', { id, category_id: category.id }),
        undo: (id, card) => call('sessions.set_category', { id, category_id: card.category_id ?? null }),
      }),
    move,
    /** One place up or down in its section. */
    step: async (card: BoardCard, key: string, by: -1 | 1, board: Places): Promise<boolean> => {
      const cards = cardsOf(board, key)
      const at = cards.findIndex(({ id }) => id === card.id)
      const other = cards[at + by]
      if (!other) return false
      const beforeId = by === -1 ? other.id : cards[at + 2]?.id
      return move(card, { key, beforeId, afterId: by === -1 ? undefined : other.id }, board)
    },
    setPriority: (
      cards: readonly BoardCard[],
      priority: { scheduling_class?: 'spot' | 'priority' | null; precedence?: number; place?: 'top_of_spot' },
    ) =>
      perform(cards, {
        done: 'Changed the priority of',
        show: (card) => [
          patch(card, {
            ...(priority.scheduling_class && { priority_class: priority.scheduling_class }),
            ...(priority.precedence !== undefined && { precedence: priority.precedence }),
          }),
        ],
        act: (id) => call('sessions.update', { id, ...priority }),
      }),
    followUp: (card: BoardCard, prompt: string) =>
      perform([card], { done: 'Sent to', act: (id) => call('sessions.follow_up', { id, prompt }) }),
    markSeen: (card: BoardCard, transition_id?: number) =>
      perform([card], {
        show: (card) => [patch(card, { needs_you: undefined, unread: undefined })],
        act: (id) => call('sessions.mark_seen', transition_id === undefined ? { id } : { id, transition_id }),
      }),
  }
}

/** Where the cards are that a person moves. */
type Places = { sections: readonly BoardSection[]; isRanked: boolean }

function cardsOf({ sections }: Places, key: string): readonly BoardCard[] {
  return sections.find((section) => section.key === key)?.cards ?? []
}

type Refusal = { card: BoardCard; error: unknown }

/** A few requests at a time, so that a hundred sessions do not wait for one connection each. */
async function inTurn<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
