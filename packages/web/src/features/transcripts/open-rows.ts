import { createContext, useContext } from 'react'

/** Which rows are open. Kept beside the list: a row that scrolls out of sight is taken off the page. */
export type OpenRows = { isOpen(key: string): boolean; toggle(key: string): void }

export const OpenRowsContext = createContext<OpenRows>({ isOpen: () => false, toggle: () => undefined })

export function useOpenRow(key: string): [isOpen: boolean, toggle: () => void] {
  const { isOpen, toggle } = useContext(OpenRowsContext)
  return [isOpen(key), () => toggle(key)]
}

/** What a row needs to know about its session. */
export type TranscriptScope = {
  sessionId: string
  thread: string
  /** Calls without a result are underway only while a turn is. */
  isWorking: boolean
  onFork?: (sequence: number) => void
}

export const ScopeContext = createContext<TranscriptScope>({ sessionId: '', thread: 'main', isWorking: false })

export function useScope(): TranscriptScope {
  return useContext(ScopeContext)
}
