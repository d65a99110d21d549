import { useEffect, useState, useSyncExternalStore } from 'react'

const wide = matchMedia('(min-width: 64rem)')

/** Whether there is room for a pane beside the transcript. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}

/** The height of an on-screen keyboard that lies over the page instead of making it smaller, as on iOS. */
export function useKeyboardInset(): number {
  const [inset, setInset] = useState(0)
  useEffect(() => {
    const { visualViewport } = window
    if (!visualViewport) return
    const look = () => {
      const isZoomed = visualViewport.scale > 1.01
      setInset(isZoomed ? 0 : Math.max(0, Math.round(innerHeight - visualViewport.height - visualViewport.offsetTop)))
    }
    visualViewport.addEventListener('resize', look)
    return () => visualViewport.removeEventListener('resize', look)
  }, [])
  return inset
}
