import { type RefObject, useLayoutEffect } from 'react'

/**
 * Gives the focus to the field of an editor that the person has just asked for. Not to one that a reload or another tab has opened: the
 * person may be typing elsewhere.
 */
export function useEditorFocus(editor: RefObject<HTMLElement | null>, isAsked: RefObject<boolean>): void {
  useLayoutEffect(() => {
    if (isAsked.current) editor.current?.querySelector<HTMLElement>('input, textarea')?.focus()
    isAsked.current = false
  }, [editor, isAsked])
}
