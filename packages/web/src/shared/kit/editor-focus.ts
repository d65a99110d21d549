import { type RefObject, useLayoutEffect } from 'react'

/**
 * Gives the focus to the field of an editor that the person has just asked for. Not to one that a reload or another tab has opened: the
 * person may be typing elsewhere. An editor that ends with the focus in it gives it back to what opened it, else the body would get it.
 */
export function useEditorFocus(
  editor: RefObject<HTMLElement | null>,
  isAsked: RefObject<boolean>,
  /** The label of the button that opens the editor, in whose place it is. */
  opener: string,
): void {
  useLayoutEffect(() => {
    const { current } = editor
    const place = current?.parentElement
    if (isAsked.current) current?.querySelector<HTMLElement>('input, textarea')?.focus()
    isAsked.current = false
    return () => {
      if (!current?.contains(document.activeElement)) return
      // The button is there when the page has changed, which it is about to.
      queueMicrotask(() => place?.querySelector<HTMLElement>(`[aria-label="${opener}"]`)?.focus())
    }
  }, [editor, isAsked, opener])
}
