import { useState } from 'react'

const key = 'yardmaster.board.collapsed'

/** The sections that a person closed, kept in this browser. */
export function useCollapsed(): [closed: ReadonlySet<string>, toggle: (section: string) => void] {
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as string[]),
  )
  const toggle = (section: string) => {
    const next = new Set(closed)
    if (!next.delete(section)) next.add(section)
    localStorage.setItem(key, JSON.stringify([...next]))
    setClosed(next)
  }
  return [closed, toggle]
}
