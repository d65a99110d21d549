import { type RefObject, useEffect, useRef } from 'react'

/** Whether the component has left the page: for what happens later, such as the answer of a call. */
export function useIsLeft(): Readonly<RefObject<boolean>> {
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  return isLeft
}
