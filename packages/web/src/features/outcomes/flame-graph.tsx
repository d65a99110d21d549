import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { Icon } from '../../shared/kit/icon.tsx'
import { type Block, blocksOf, rangeOf, type Segment } from './flame.ts'
import { SegmentDetails } from './segment-details.tsx'

const rowHeight = 30

const looks = {
  Success: 'border-ok/50 bg-ok-soft text-ok',
  Failure: 'border-failed/60 bg-failed-soft text-failed',
} as const

/**
 * The segments over the transcript: the whole on top, its parts below, from the first entry on the left to the last on the right.
 * A block opens the transcript at its first entry; the arrow keys walk through the tree.
 */
export function FlameGraph({ root, sessionId }: { root: Segment; sessionId: string }): ReactNode {
  const blocks = useMemo(() => blocksOf(root), [root])
  const [current, setCurrent] = useState(root.id)
  const graph = useRef<HTMLDivElement>(null)
  const focused = blocks.find(({ segment }) => segment.id === current) ?? blocks[0]
  const depth = Math.max(...blocks.map((block) => block.depth)) + 1
  const walk = (event: KeyboardEvent) => {
    const next = focused && neighbourOf(blocks, focused, event.key)
    if (!next) return
    event.preventDefault()
    setCurrent(next.segment.id)
    graph.current?.querySelector<HTMLElement>(`[data-segment="${next.segment.id}"]`)?.focus()
  }
  return (
    <div className="flex flex-col gap-3 p-3">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form. */}
      <div
        ref={graph}
        role="group"
        aria-label="Segments over the transcript. Arrow keys move, Enter opens the transcript."
        onKeyDown={walk}
        className="relative"
        style={{ height: depth * rowHeight }}
      >
        {blocks.map((block) => (
          <BlockLink
            key={block.segment.id}
            block={block}
            sessionId={sessionId}
            isCurrent={block === focused}
            onShow={() => setCurrent(block.segment.id)}
          />
        ))}
      </div>
      {focused && <SegmentDetails segment={focused.segment} sessionId={sessionId} />}
    </div>
  )
}

type BlockLinkProps = { block: Block; sessionId: string; isCurrent: boolean; onShow: () => void }

function BlockLink({ block, sessionId, isCurrent, onShow }: BlockLinkProps): ReactNode {
  const { segment, left, right, depth } = block
  const hash = hashOf(segment)
  return (
    <Link
      to="/sessions/$id"
      params={{ id: sessionId }}
      {...(hash && { hash })}
      preload={false}
      data-segment={segment.id}
      data-tip={`${segment.goal.text}: ${segment.outcome.kind}. ${segment.outcome.explanation}`}
      aria-label={`${segment.outcome.kind}: ${segment.goal.text}`}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onShow}
      onPointerEnter={onShow}
      className={`absolute flex items-center gap-1 overflow-hidden rounded-sm border px-1.5 text-sm ${looks[segment.outcome.kind]} ${isCurrent ? 'z-10 ring-2 ring-accent-text' : ''}`}
      style={{
        left: `${left * 100}%`,
        width: `calc(${(right - left) * 100}% - 2px)`,
        top: depth * rowHeight,
        height: rowHeight - 2,
        minWidth: 4,
      }}
    >
      <Icon name={segment.outcome.kind === 'Success' ? 'circle-check' : 'circle-x'} size={12} />
      <span className="truncate">{segment.goal.text}</span>
    </Link>
  )
}

/** The address of the first entry in the transcript. */
function hashOf(segment: Segment): string | undefined {
  const range = rangeOf(segment)
  return range && `e${range[0]}`
}

/** Up is the parent, down the first part, left and right are the neighbours of the same depth. */
function neighbourOf(blocks: readonly Block[], block: Block, key: string): Block | undefined {
  if (key === 'ArrowUp') return block.parent
  if (key === 'ArrowDown') return blocks.find(({ parent }) => parent === block)
  if (key === 'Home') return blocks[0]
  const row = blocks.filter(({ depth }) => depth === block.depth)
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  return step === undefined ? undefined : row[row.indexOf(block) + step]
}
