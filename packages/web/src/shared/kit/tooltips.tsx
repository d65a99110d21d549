import { type ReactNode, useEffect, useState } from 'react'

type Tip = { text: string; x: number; y: number; isAbove: boolean }

const delayMs = 400

/**
 * One tooltip for the whole page: it shows the `data-tip` of the element under the pointer, with the focus, or that a finger tapped,
 * unless the tap does something. Escape hides it. What it says must also be readable without it, in a label or in the page.
 */
export default function Tooltips(): ReactNode {
  const [tip, setTip] = useState<Tip>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const hide = () => {
      clearTimeout(timer)
      setTip(undefined)
    }
    const show = (event: Event, afterMs: number) => {
      clearTimeout(timer)
      const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      if (!element?.dataset.tip) return setTip(undefined)
      timer = setTimeout(() => setTip(tipOf(element)), afterMs)
    }
    const onOver = (event: PointerEvent) => event.pointerType === 'mouse' && show(event, delayMs)
    const onTap = (event: PointerEvent) => {
      if (event.pointerType === 'mouse' || !(event.target instanceof Element)) return
      if (!event.target.closest('a, button, input, select, textarea, label, summary')) show(event, 0)
    }
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event, 0)
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    document.addEventListener('pointerover', onOver)
    document.addEventListener('pointerup', onTap)
    document.addEventListener('focusin', onFocus)
    document.addEventListener('focusout', hide)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', onKey)
    document.addEventListener('scroll', hide, true)
    return () => {
      hide()
      document.removeEventListener('pointerover', onOver)
      document.removeEventListener('pointerup', onTap)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('scroll', hide, true)
    }
  }, [])
  if (!tip) return null
  return (
    <div
      role="tooltip"
      className={`pointer-events-none fixed z-60 max-w-72 rounded-md bg-text px-2 py-1 text-canvas text-sm shadow-float ${tip.isAbove ? '-translate-y-full' : ''} -translate-x-1/2`}
      style={{ left: tip.x, top: tip.y }}
    >
      {tip.text}
    </div>
  )
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
