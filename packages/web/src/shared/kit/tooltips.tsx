import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { topLayer } from './modal.ts'

type Tip = { text: string; x: number; y: number; isAbove: boolean }

/** A pointer that crosses the gap to the tooltip arrives before it hides. */
const delays = { showMs: 400, hideMs: 300 }

/**
 * One tooltip for the whole page: it shows the `data-tip` of the element under the pointer, with the focus, or that a finger tapped,
 * unless the tap does something. It stays while the pointer is on it, and clicks go through it to the page. Escape hides it. What it
 * says must also be readable without it, in a label or in the page.
 */
export default function Tooltips(): ReactNode {
  const [tip, setTip] = useState<Tip>()
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    /** What the mouse is on. Only a change of it shows or hides: a tooltip that was dismissed stays away. */
    let pointedAt: Element | null = null
    const show = (element: HTMLElement | null, afterMs: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => setTip(element ? tipOf(element) : undefined), afterMs)
    }
    const hide = () => {
      clearTimeout(timer)
      setTip(undefined)
    }
    const onMouse = (event: PointerEvent) => {
      if (event.pointerType !== 'mouse') return
      if (isOn(shown.current, event)) {
        clearTimeout(timer)
        pointedAt = shown.current
        return
      }
      const element = tippedAt(event)
      if (element === pointedAt) return
      pointedAt = element
      show(element, element ? delays.showMs : delays.hideMs)
    }
    const onLeave = ({ pointerType }: PointerEvent) => {
      // A finger leaves with every tap.
      if (pointerType !== 'mouse') return
      pointedAt = null
      hide()
    }
    const onTap = (event: PointerEvent) => {
      if (event.pointerType === 'mouse' || !(event.target instanceof Element)) return
      if (!event.target.closest('a, button, input, select, textarea, label, summary')) show(tippedAt(event), 0)
    }
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(tippedAt(event), 0)
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    const stop = new AbortController()
    const options = { signal: stop.signal }
    document.addEventListener('pointerover', onMouse, options)
    document.addEventListener('pointermove', onMouse, options)
    document.documentElement.addEventListener('pointerleave', onLeave, options)
    document.addEventListener('pointerup', onTap, options)
    document.addEventListener('focusin', onFocus, options)
    document.addEventListener('focusout', hide, options)
    document.addEventListener('pointerdown', hide, options)
    document.addEventListener('keydown', onKey, options)
    document.addEventListener('scroll', hide, { ...options, capture: true })
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [])
  if (!tip) return null
  return createPortal(
    <div
      ref={shown}
      role="tooltip"
      className={`pointer-events-none fixed z-60 max-w-72 rounded-md bg-text px-2 py-1 text-canvas text-sm shadow-float ${tip.isAbove ? '-translate-y-full' : ''} -translate-x-1/2`}
      style={{ left: tip.x, top: tip.y }}
    >
      {tip.text}
    </div>,
    topLayer(),
  )
}

function tippedAt({ target }: Event): HTMLElement | null {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
  return element?.dataset.tip ? element : null
}

function isOn(element: Element | null, { clientX, clientY }: PointerEvent): boolean {
  if (!element) return false
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom
}

function tipOf(element: HTMLElement): Tip | undefined {
  const { dataset, isConnected } = element
  if (!isConnected || !dataset.tip) return undefined
  const { left, width, top, bottom } = element.getBoundingClientRect()
  const isAbove = bottom + 48 > innerHeight
  // Half of a short tip must fit beside the edge of the window.
  const halfWidth = Math.min(144, dataset.tip.length * 3.6 + 8)
  const x = Math.min(Math.max(left + width / 2, halfWidth + 4), innerWidth - halfWidth - 4)
  return { text: dataset.tip, x, y: isAbove ? top - 6 : bottom + 6, isAbove }
}
