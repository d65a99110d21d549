import { useState } from 'react'
import { keep, kept } from '../../shared/state/keep.ts'

const key = 'yardmaster.board.collapsed'

/** The sections that a person closed, kept in this browser. */
export function useCollapsed(): [closed: ReadonlySet<string>, toggle: (section: string) => void] {
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => new Set(JSON.parse(kept(key) || '[]') as string[]))
  const toggle = (section: string) => {
    const next = new Set(closed)
    if (!next.delete(section)) next.add(section)
    keep(key, JSON.stringify([...next]))
    setClosed(next)
  }
  return [closed, toggle]
}
