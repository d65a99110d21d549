import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../shared/api/client.ts'
import { refresh } from '../../shared/api/hooks.ts'
import { sentencesOf } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type BoardCard, type CardChange, moveCard, patchCards } from './board-cache.ts'
import { zone } from './snooze.ts'

/** What was done to many sessions, and which of them refused. */
export type Report = {
  done: string
  count: number
  refusals: readonly { id: number; name: string; sentence: string }[]
}

type Deed = {
  /** What to say afterwards, before the name: "Archived". Nothing is said without it. */
  done?: string
  change?: (card: BoardCard) => CardChange
  act: (id: string, card: BoardCard) => Promise<unknown>
  undo?: (id: string, card: BoardCard) => Promise<unknown>
}

const atOnce = 6

/** A card has its prompt only while its title is no more than its number. */
export function nameOfCard({ id, prompt, title, slug }: Pick<BoardCard, 'id' | 'prompt' | 'title' | 'slug'>): string {
  return prompt ?? title ?? slug ?? `Session ${id}`
}

export type BoardActions = ReturnType<typeof createActions>

/** What can be done to one session or many: shown at once, taken back where the server refuses. */
export function useBoardActions(onReport?: (report: Report) => void): BoardActions {
  const cache = useQueryClient()
  const toasts = useToasts()
  return useMemo(() => createActions(cache, toasts, onReport), [cache, toasts, onReport])
}

function createActions(
  cache: QueryClient,
  toasts: ReturnType<typeof useToasts>,
  onReport: ((report: Report) => void) | undefined,
) {
  const readAgain = () => refresh(cache, ['board', 'needs_you', 'sessions', 'enqueued_messages', 'notifications'])

  /** Answers whether none refused. */
  const perform = async (cards: readonly BoardCard[], { done, change, act, undo }: Deed): Promise<boolean> => {
    const takeBack = new Map(
      cards.map((card) => [card.id, change ? patchCards(cache, new Map([[card.id, change(card)]])) : undefined]),
    )
    const refusals: { card: BoardCard; error: unknown }[] = []
    await inTurn(cards, async (card) => {
      try {
        await act(String(card.id), card)
      } catch (error) {
        takeBack.get(card.id)?.()
        refusals.push({ card, error })
      }
    })
    const succeeded = cards.filter((card) => !refusals.some((refusal) => refusal.card === card))
    const [only] = succeeded
    if (done && only) {
      const what = succeeded.length === 1 ? `“${nameOfCard(only)}”` : `${succeeded.length} sessions`
      toasts.say(`${done} ${what}`, undo && { undo: () => void perform(succeeded, { act: undo }) })
    }
    if (refusals.length > 0 && (cards.length === 1 || !onReport))
      for (const { error } of refusals) toasts.complain(error)
    else if (refusals.length > 0) {
      onReport?.({
        done: done ?? 'Changed',
        count: succeeded.length,
        refusals: refusals.map(({ card, error }) => ({
          id: card.id,
          name: nameOfCard(card),
          sentence: sentencesOf(error).join(' '),
        })),
      })
    }
    void readAgain()
    return refusals.length === 0
  }

  const show = (id: string) => call('sessions.update_visibility', { id, visibility: 'visible' })

  return {
    archive: (cards: readonly BoardCard[], { force = false } = {}) =>
      perform(cards, {
        done: 'Archived',
        change: () => ({ status: 'archived' }),
        act: (id) => call('sessions.archive', force ? { id, force } : { id }),
        undo: (id) => call('sessions.unarchive', { id }),
      }),
    unarchive: (cards: readonly BoardCard[]) =>
      perform(cards, {
        done: 'Restored',
        change: () => ({ status: 'needs_input' }),
        act: (id) => call('sessions.unarchive', { id }),
      }),
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
        change: ({ favorited }) => ({ favorited: favorited ? undefined : true }),
        act: (id) => call('sessions.toggle_favorite', { id }),
      }),
    hide: (cards: readonly BoardCard[]) =>
      perform(cards, {
        done: 'Hidden',
        change: () => ({ visibility: 'hidden' }),
        act: (id) => call('sessions.update_visibility', { id, visibility: 'hidden' }),
        undo: show,
      }),
    show: (cards: readonly BoardCard[]) =>
      perform(cards, { done: 'On the board again:', change: () => ({ visibility: undefined }), act: show }),
    /** `until` is a time on the viewer's clock. */
    snooze: (cards: readonly BoardCard[], until: string) =>
      perform(cards, {
        done: 'Snoozed',
        change: () => ({ visibility: 'snoozed' }),
        act: (id) =>
          call('sessions.update_visibility', { id, visibility: 'snoozed', snoozed_until: until, timezone: zone }),
        undo: show,
      }),
    setCategory: (cards: readonly BoardCard[], category: { id: number | null; name: string }) =>
      perform(cards, {
        done: `Moved to ${category.name}:`,
        act: (id, card) => {
          moveCard(cache, card.id, { key: category.id === null ? 'uncategorized' : `category:${category.id}` })
          return call('sessions.set_category', { id, category_id: category.id })
        },
        undo: (id, card) => call('sessions.set_category', { id, category_id: card.category_id ?? null }),
      }),
    /** Puts a card before another one of a section, or to the top of it. */
    place: (card: BoardCard, to: { key: string; beforeId?: number | undefined; afterId?: number | undefined }) =>
      perform([card], {
        act: (id) => {
          moveCard(cache, card.id, to)
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
      }),
    setPriority: (
      cards: readonly BoardCard[],
      priority: { scheduling_class?: 'spot' | 'priority'; precedence?: number; place?: 'top_of_spot' },
    ) =>
      perform(cards, {
        done: 'Changed the priority of',
        change: () => ({
          ...(priority.scheduling_class && { priority_class: priority.scheduling_class }),
          ...(priority.precedence !== undefined && { precedence: priority.precedence }),
        }),
        act: (id) => call('sessions.update', { id, ...priority }),
      }),
    followUp: (card: BoardCard, prompt: string) =>
      perform([card], { done: 'Sent to', act: (id) => call('sessions.follow_up', { id, prompt }) }),
    markSeen: (card: BoardCard, transition_id?: number) =>
      perform([card], {
        change: () => ({ needs_you: undefined, unread: undefined }),
        act: (id) => call('sessions.mark_seen', transition_id === undefined ? { id } : { id, transition_id }),
      }),
  }
}

/** A few requests at a time, so that a hundred sessions do not wait for one connection each. */
async function inTurn<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
