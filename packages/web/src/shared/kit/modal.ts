import { type RefObject, useEffect, useSyncExternalStore } from 'react'

const open: HTMLElement[] = []
const listeners = new Set<() => void>()

/** Where menus, tooltips and toasts go: what is outside of an open modal dialog lies below it, and takes no press. */
export function topLayer(): HTMLElement {
  return open.at(-1) ?? document.body
}

export function useTopLayer(): HTMLElement {
  return useSyncExternalStore(subscribe, topLayer)
}

/** Opens the dialog when it is drawn, as the browser's own modal dialog. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>, isOpen: boolean): void {
  useEffect(() => {
    const { current } = dialog
    if (!isOpen || !current) return
    current.showModal()
    open.push(current)
    tell()
    return () => {
      open.splice(open.indexOf(current), 1)
      tell()
    }
  }, [dialog, isOpen])
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
