import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Badge, type Tone } from '../../shared/kit/badge.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu, type MenuItem } from '../../shared/kit/menu.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Item, isOutsideBand } from './rank.ts'
import type { Placing } from './use-placing.ts'

type BacklogRowProps = {
  item: Item
  index: number
  count: number
  isQueue: boolean
  placing: Placing
  onOpen: (item: Item) => void
  onRemove: (item: Item) => void
  onPinAt: (item: Item) => void
}

const costTones: Record<Item['estimated_cost'], Tone> = { small: 'ok', medium: 'running', large: 'needs' }

/** One item. It moves by its handle, by Alt with the arrow keys, and from its menu. */
export function BacklogRow(props: BacklogRowProps): ReactNode {
  const { item, isQueue, onOpen } = props
  const { row, handle, edge, isDragged } = useDrag(item.id, isQueue)
  return (
    <li
      ref={row}
      data-item={item.id}
      className={`relative flex min-h-11 items-center gap-2 border-line border-b py-1 pr-2 pl-1 last:border-b-0 hover:bg-hover md:min-h-9 ${isDragged ? 'opacity-40' : ''}`}
    >
      {edge && (
        <span
          aria-hidden="true"
          className={`pointer-events-none absolute inset-x-0 z-10 h-0.5 bg-accent ${edge === 'top' ? '-top-px' : '-bottom-px'}`}
        />
      )}
      <span
        ref={handle}
        aria-hidden="true"
        className={`grid size-6 shrink-0 place-items-center text-faint ${isQueue ? 'cursor-grab' : 'invisible'}`}
      >
        <Icon name="grip-vertical" size={14} />
      </span>
      <span className="tabular w-7 shrink-0 text-right text-muted text-sm">{item.position ?? ''}</span>
      <span className="min-w-0 grow">
        <span className="flex min-w-0 items-center gap-2">
          <button
            type="button"
            onClick={() => onOpen(item)}
            className="min-h-6 text-left font-medium hover:underline max-md:line-clamp-2 md:truncate"
          >
            {item.title}
          </button>
          {item.pinned && (
            <Badge
              tone="accent"
              tip={`Placed by hand at rank ${item.precedence}${isOutsideBand(item) ? `, outside the ranks of its ${item.estimated_cost} cost` : ''}`}
            >
              pinned
            </Badge>
          )}
          <Liveness item={item} />
        </span>
        <span className="block truncate text-muted text-xs md:hidden">
          {item.repo} · {item.surface}
        </span>
      </span>
      <span className="hidden w-56 shrink-0 truncate text-muted text-sm lg:block">
        {item.repo} · {item.surface}
      </span>
      <span className="hidden w-20 shrink-0 truncate text-muted text-sm md:block">{item.kind}</span>
      {/* On a phone the heading of the band says it. */}
      <span className={`flex w-16 shrink-0 justify-end md:justify-start ${isQueue ? 'max-md:hidden' : ''}`}>
        <Badge tone={costTones[item.estimated_cost]}>{item.estimated_cost}</Badge>
      </span>
      <span className="hidden w-24 shrink-0 text-right text-muted text-sm md:block">
        {item.started_session_id !== null ? (
          <Link
            to="/sessions/$id"
            params={{ id: String(item.started_session_id) }}
            className="text-accent-text hover:underline"
          >
            Session {item.started_session_id}
          </Link>
        ) : (
          <Time at={item.removed_at ?? item.added_at} />
        )}
      </span>
      <RowMenu {...props} />
    </li>
  )
}

function Liveness({ item: { liveness, issue_url } }: { item: Item }): ReactNode {
  if (issue_url === null || liveness === 'unknown' || liveness === 'open') return null
  return (
    <Badge tone="needs" icon="triangle-alert" tip="Remove it, or start it anyway">
      {liveness === 'closed' ? 'issue closed' : 'issue missing'}
    </Badge>
  )
}

function RowMenu(props: BacklogRowProps): ReactNode {
  const { item, index, count, isQueue, placing, onOpen, onRemove, onPinAt } = props
  const toasts = useToasts()
  const start = useWrite('work_backlog_items.start_now', {
    refreshes: ['sessions', 'board'],
    onSuccess: ({ session }) => toasts.say(`Started as session ${session.id}`),
  })
  const details: MenuItem = { label: 'Details', icon: 'info', onSelect: () => onOpen(item) }
  const items: MenuItem[] = isQueue
    ? [
        { label: 'Start now', icon: 'play', onSelect: () => start.mutate({ id: String(item.id) }) },
        details,
        'separator',
        {
          label: 'Move up',
          icon: 'arrow-up',
          keys: 'alt+arrowup',
          isDisabled: index === 0,
          onSelect: () => placing.moveTo(item, index - 1, 'below'),
        },
        {
          label: 'Move down',
          icon: 'arrow-down',
          keys: 'alt+arrowdown',
          isDisabled: index === count - 1,
          onSelect: () => placing.moveTo(item, index + 1, 'above'),
        },
        { label: 'Move to the top', icon: 'chevron-up', onSelect: () => placing.moveToTop(item) },
        { label: 'Pin at a rank', icon: 'flag', onSelect: () => onPinAt(item) },
        {
          label: 'Unpin',
          icon: 'undo-2',
          isDisabled: !item.pinned,
          onSelect: () => placing.unpin(item),
        },
        'separator',
        { label: 'Remove', icon: 'trash-2', isDanger: true, onSelect: () => onRemove(item) },
      ]
    : [details]
  return <Menu label={`Actions of ${item.title}`} items={items} />
}

type Edge = 'top' | 'bottom'

function useDrag(id: number, isEnabled: boolean) {
  const row = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const [edge, setEdge] = useState<Edge>()
  const [isDragged, setDragged] = useState(false)
  useEffect(() => {
    const { current: element } = row
    const { current: dragHandle } = handle
    if (!element || !dragHandle || !isEnabled) return
    return combine(
      draggable({
        element,
        dragHandle,
        getInitialData: () => ({ backlogItem: id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => typeof source.data.backlogItem === 'number' && source.data.backlogItem !== id,
        getData: ({ input }) => {
          const { top, height } = element.getBoundingClientRect()
          return { backlogItem: id, edge: input.clientY < top + height / 2 ? 'top' : 'bottom' }
        },
        onDrag: ({ self }) => setEdge(self.data.edge as Edge),
        onDragLeave: () => setEdge(undefined),
        onDrop: () => setEdge(undefined),
      }),
    )
  }, [id, isEnabled])
  return { row, handle, edge, isDragged }
}
