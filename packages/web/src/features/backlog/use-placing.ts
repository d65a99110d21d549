import { useQueryClient } from '@tanstack/react-query'
import { call, type Result } from '../../shared/api/client.ts'
import { keyOf, refresh, useWrite } from '../../shared/api/hooks.ts'
import { showInLists } from '../../shared/api/rows-at-once.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Item, isOutsideBand, placedAt, rankAt, stretchOf } from './rank.ts'

type List = Result<'work_backlog_items.list'>

export type Placing = {
  /** Puts an item at an index of the shown list, counted without the item itself. */
  moveTo(item: Item, index: number, near: 'above' | 'below'): void
  /** To the top of the whole queue, whatever is shown of it. */
  moveToTop(item: Item): void
  pinAt(item: Item, precedence: number): void
  unpin(item: Item): void
}

const noRankLeft = new Error('There is no rank left at this place. Move one of its neighbours first.')

/** Placing items by hand. What is said afterwards is the place that the server answers. */
export function usePlacing(items: readonly Item[], queued: number): Placing {
  const cache = useQueryClient()
  const toasts = useToasts()
  const pin = useWrite('work_backlog_items.pin', {
    optimistic(cache, { id, precedence }) {
      const lists = { queryKey: keyOf('work_backlog_items.list') }
      const find = () =>
        cache
          .getQueriesData<List>(lists)
          .flatMap(([, list]) => list?.work_backlog_items ?? [])
          .find((each) => each.id === Number(id))
      const show = (rank: Pick<Item, 'precedence' | 'pinned'>) =>
        cache.setQueriesData<List>(
          lists,
          (list) => list && { ...list, work_backlog_items: placedAt(list.work_backlog_items, Number(id), rank) },
        )
      const old = find()
      show({ precedence: Number(precedence), pinned: true })
      return () => {
        // Another write may have changed other items meanwhile, or put this one elsewhere.
        if (old && find()?.precedence === Number(precedence)) show({ precedence: old.precedence, pinned: old.pinned })
      }
    },
  })
  const unpin = useWrite('work_backlog_items.unpin', {
    // Its place is the server's to say. A list of pinned items loses it.
    optimistic: (cache, { id }) =>
      showInLists(cache, { name: 'work_backlog_items.list', part: 'work_backlog_items' }, (row, { pinned }) =>
        row.id !== Number(id) ? row : pinned === true ? undefined : { ...row, pinned: false },
      ),
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
  const pinAt = (item: Item, precedence: number | undefined) => {
    if (precedence === undefined) return toasts.complain(noRankLeft)
    pin.mutate(
      { id: String(item.id), precedence },
      {
        onSuccess: ({ work_backlog_item: pinned }) =>
          toasts.say(`Pinned at position ${pinned.position}${bandNote(pinned)}`, { undo: () => void putBack(item) }),
      },
    )
  }
  const moveTo: Placing['moveTo'] = (item, index, near) => {
    const others = items.filter(({ id }) => id !== item.id)
    const [above, below] = [others[index - 1], others[index]]
    pinAt(item, rankAt(item, { above, below, near, hasMore: hidesMore({ item, above, below, queued }) }))
  }
  const moveToTop = async (item: Item) => {
    try {
      const [first] = (await call('work_backlog_items.list', { per_page: 1 })).work_backlog_items
      if (first && first.id !== item.id)
        pinAt(item, rankAt(item, { above: undefined, below: first, near: 'below', hasMore: false }))
    } catch (error) {
      toasts.complain(error)
    }
  }
  return {
    moveTo,
    moveToTop: (item) => void moveToTop(item),
    pinAt,
    unpin: (item) => unpin.mutate({ id: String(item.id) }),
  }
}

type Gap = { item: Item; above: Item | undefined; below: Item | undefined; queued: number }

/** Places of the queue beyond the first or the last shown item, without that of the moved one. */
function hidesMore({ item, above, below, queued }: Gap): boolean {
  const from = item.position ?? 0
  if (below?.position && !above) return below.position - 1 > (from < below.position ? 1 : 0)
  if (above?.position && !below) return queued - above.position > (from > above.position ? 1 : 0)
  return false
}

/** A pin may be in the band of another cost, which does not change the item's own. */
function bandNote(item: Item): string {
  return isOutsideBand(item) ? `, in “${stretchOf(item).name}”. Its own cost stays ${item.estimated_cost}.` : ''
}
