import { createContext, useContext } from 'react'

export type ShellDialog = 'palette' | 'keys' | 'ask'

type ShellActions = { open(dialog: ShellDialog): void }

export const ShellContext = createContext<ShellActions>({ open: () => undefined })

export function useShell(): ShellActions {
  return useContext(ShellContext)
}
