import { useEffect, useRef } from 'react'

/** Calls at an interval while the tab is in sight; undefined stops it. */
export function useInterval(act: () => void, everyMs: number | undefined): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
