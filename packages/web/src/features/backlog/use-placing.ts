import { useQueryClient } from '@tanstack/react-query'
import { call, type Result } from '../../shared/api/client.ts'
import { keyOf, refresh, useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Item, moved, rankBetween } from './rank.ts'

type List = Result<'work_backlog_items.list'>

export type Placing = {
  /** Puts an item at an index of the shown list, counted without the item itself. */
  moveTo(item: Item, index: number): void
  pinAt(item: Item, precedence: number): void
  unpin(item: Item): void
}

/** Placing items by hand. What is said afterwards is the place that the server answers. */
export function usePlacing(items: readonly Item[]): Placing {
  const cache = useQueryClient()
  const toasts = useToasts()
  const pin = useWrite('work_backlog_items.pin')
  const unpin = useWrite('work_backlog_items.unpin', {
    onSuccess: ({ work_backlog_item: { position, estimated_cost } }) =>
      toasts.say(`Ranked by its ${estimated_cost} cost again, at position ${position}`),
  })
  const putBack = async (item: Item) => {
    const id = String(item.id)
    try {
      await call('work_backlog_items.pin', { id, precedence: item.precedence })
      if (!item.pinned) await call('work_backlog_items.unpin', { id })
    } catch (error) {
      toasts.complain(error)
    }
    await refresh(cache, ['work_backlog_items'])
  }
  const pinAt = (item: Item, precedence: number) =>
    pin.mutate(
      { id: String(item.id), precedence },
      {
        onSuccess: ({ work_backlog_item: { position } }) =>
          toasts.say(`Pinned at position ${position}`, { undo: () => void putBack(item) }),
      },
    )
  const moveTo = (item: Item, index: number) => {
    const others = items.filter(({ id }) => id !== item.id)
    const to = Math.max(0, Math.min(index, others.length))
    const precedence = rankBetween(item, others[to - 1], others[to])
    if (precedence === undefined)
      return toasts.complain(new Error('There is no rank left between these two. Move one of them first.'))
    cache.setQueriesData<List>({ queryKey: keyOf('work_backlog_items.list') }, (list) =>
      list?.work_backlog_items.some(({ id }) => id === item.id)
        ? { ...list, work_backlog_items: moved(list.work_backlog_items, item.id, to) }
        : list,
    )
    pinAt(item, precedence)
  }
  return { moveTo, pinAt, unpin: (item) => unpin.mutate({ id: String(item.id) }) }
}
