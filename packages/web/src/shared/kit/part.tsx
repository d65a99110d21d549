import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { untilReachable, untilServerAnswers } from '../api/reach.ts'

/** A part of a page that is loaded when it is first shown. Only the part itself waits for its file; the page around it stays. */
export function part<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  meanwhile?: ReactNode,
): ComponentType<Props> {
  const Loaded: ComponentType<Props> = lazy(() => untilLoaded(load))
  return (props) => (
    <Suspense fallback={meanwhile ?? <Awaited {...props} />}>
      <Loaded {...props} />
    </Suspense>
  )
}

/** A dialog or menu that was called off before it was there must not open later and take the keys. */
function Awaited({ onClose }: { onClose?: () => void }): ReactNode {
  useEffect(() => {
    const callOff = ({ key }: KeyboardEvent) => key === 'Escape' && onClose?.()
    document.addEventListener('keydown', callOff)
    return () => document.removeEventListener('keydown', callOff)
  }, [onClose])
  return null
}

/**
 * Tries again when the server is back. A file that is missing though the server is there belongs to another version: that fails,
 * or reads the page again if the server was away, because it may have been replaced.
 */
export async function untilLoaded<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0, wasAway = false; ; ) {
    // Some browsers keep a module that they could not load as failed until the page is read again.
    if (await untilReachable()) wasAway = true
    try {
      return await load()
    } catch (error) {
      if (await untilServerAnswers()) wasAway = true
      else failures += 1
      if (failures < 2) continue
      if (!wasAway) throw error
      location.reload()
      await new Promise(() => undefined)
    }
  }
}
