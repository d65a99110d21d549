import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { Fragment, type ReactNode, useEffect, useRef } from 'react'
import { useCommands } from '../../shared/keys/commands.tsx'
import { BacklogRow } from './backlog-row.tsx'
import { type Item, type Stretch, stretchOf } from './rank.ts'
import type { Placing } from './use-placing.ts'

type BacklogListProps = {
  items: readonly Item[]
  placing: Placing
  /** Only the queue has an order to change. */
  isQueue: boolean
  onOpen: (item: Item) => void
  onRemove: (item: Item) => void
  onPinAt: (item: Item) => void
}

const moving = { group: 'Backlog', isHidden: true }

/** The items in rank order, with the bands of cost as headings where the queue is shown. */
export function BacklogList({ items, placing, isQueue, ...handlers }: BacklogListProps): ReactNode {
  const latest = useRef({ items, placing })
  latest.current = { items, placing }
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => typeof source.data.backlogItem === 'number',
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0]
          if (!target) return
          const { items, placing } = latest.current
          const item = items.find(({ id }) => id === source.data.backlogItem)
          const others = items.filter(({ id }) => id !== item?.id)
          const at = others.findIndex(({ id }) => id === target.data.backlogItem)
          if (!item || at < 0) return
          if (target.data.edge === 'bottom') placing.moveTo(item, at + 1, 'above')
          else placing.moveTo(item, at, 'below')
        },
      }),
    [],
  )
  const moveFocused = (step: number) => {
    const row = document.activeElement?.closest<HTMLElement>('[data-item]')
    const index = items.findIndex(({ id }) => String(id) === row?.dataset.item)
    const item = items[index]
    if (item && isQueue && items[index + step]) placing.moveTo(item, index + step, step < 0 ? 'below' : 'above')
  }
  useCommands([
    { ...moving, id: 'backlog.up', label: 'Move the item up', keys: 'alt+arrowup', run: () => moveFocused(-1) },
    { ...moving, id: 'backlog.down', label: 'Move the item down', keys: 'alt+arrowdown', run: () => moveFocused(1) },
  ])
  return (
    <ol aria-label={isQueue ? 'Queued work, first to last' : 'Work'}>
      {items.map((item, index) => {
        const stretch = stretchOf(item)
        const before = items[index - 1]
        const isFirstOfStretch = isQueue && (before === undefined || stretchOf(before) !== stretch)
        return (
          <Fragment key={item.id}>
            {isFirstOfStretch && <StretchHeading stretch={stretch} />}
            <BacklogRow
              item={item}
              index={index}
              count={items.length}
              isQueue={isQueue}
              placing={placing}
              {...handlers}
            />
          </Fragment>
        )
      })}
    </ol>
  )
}

function StretchHeading({ stretch: { name, note } }: { stretch: Stretch }): ReactNode {
  return (
    <li className="flex h-8 items-center gap-2 border-line border-b bg-canvas px-3 text-sm">
      <span className="font-semibold">{name}</span>
      <span className="tabular text-muted">{note}</span>
    </li>
  )
}
