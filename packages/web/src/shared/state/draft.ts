import { useCallback, useEffect, useState } from 'react'

const prefix = 'yardmaster.draft.'

/** Removes drafts from this browser, by default all of them, and returns their texts. */
export function dropDrafts(isDropped: (name: string) => boolean = () => true): string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix) && isDropped(key.slice(prefix.length)))
  return keys.map((key) => {
    const text = localStorage.getItem(key) ?? ''
    localStorage.removeItem(key)
    return text
  })
}

/** Adds to a draft that a form of this page may show. */
export function appendToDraft(name: string, text: string): void {
  const [key, before] = [prefix + name, localStorage.getItem(prefix + name)]
  const newValue = before ? `${before}\n\n${text}` : text
  localStorage.setItem(key, newValue)
  // Browsers tell the other tabs only.
  window.dispatchEvent(new StorageEvent('storage', { key, newValue }))
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
