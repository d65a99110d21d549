import { useCallback, useEffect, useState } from 'react'

const prefix = 'yardmaster.draft.'

/** Removes drafts from this browser, by default all of them. */
export function dropDrafts(isDropped: (name: string) => boolean = () => true): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && isDropped(key.slice(prefix.length))) localStorage.removeItem(key)
}

/**
 * Text that survives a switch of pages, a reload and a failed send. Clear it only after the server accepted it. Other tabs
 * see it too.
 */
export function useDraft(name: string): [text: string, setText: (text: string) => void] {
  const key = prefix + name
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => {
    setText(localStorage.getItem(key) ?? '')
    const onStorage = (event: StorageEvent) => event.key === key && setText(event.newValue ?? '')
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [key])
  const write = useCallback(
    (next: string) => {
      setText(next)
      if (next === '') localStorage.removeItem(key)
      else localStorage.setItem(key, next)
    },
    [key],
  )
  return [text, write]
}
