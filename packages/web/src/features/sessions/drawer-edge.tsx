import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'
import { keep, kept } from '../../shared/state/keep.ts'

const key = 'yardmaster.drawer-width'
const limits = { min: 360, usual: 480, max: 800 }
const step = 40

function clamped(width: number): number {
  return Math.min(Math.max(Math.round(width), limits.min), limits.max)
}

/** As wide as the person made it last, in this browser. */
export function useDrawerWidth(): [width: number, setWidth: (width: number) => void] {
  const [width, setWidth] = useState(() => clamped(Number(kept(key)) || limits.usual))
  const change = (next: number) => {
    keep(key, String(clamped(next)))
    setWidth(clamped(next))
  }
  return [width, change]
}

/** Changes the width without dragging or keys. */
export function WidthButton({ width, onChange }: { width: number; onChange: (width: number) => void }): ReactNode {
  const isWide = width > limits.usual
  return (
    <IconButton
      icon={isWide ? 'chevron-right' : 'chevron-left'}
      label={isWide ? 'Make it narrower' : 'Make it wider'}
      onClick={() => onChange(isWide ? limits.usual : limits.max)}
    />
  )
}

/** The edge that makes the drawer wider or narrower: dragged, or moved by the arrow keys. */
export function DrawerEdge({ width, onChange }: { width: number; onChange: (width: number) => void }): ReactNode {
  const drag = (event: PointerEvent<HTMLElement>) => {
    const { currentTarget: edge, pointerId, clientX: from } = event
    event.preventDefault()
    edge.setPointerCapture(pointerId)
    edge.onpointermove = ({ clientX }) => onChange(width + from - clientX)
    edge.onpointerup = () => {
      edge.onpointermove = null
    }
  }
  const press = ({ key: pressed }: KeyboardEvent) => {
    if (pressed === 'ArrowLeft') onChange(width + step)
    if (pressed === 'ArrowRight') onChange(width - step)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the session"
      aria-valuenow={width}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
      className="absolute inset-y-0 left-0 z-10 w-1.5 -translate-x-1/2 cursor-col-resize touch-none hover:bg-accent focus-visible:bg-accent"
    />
  )
}
