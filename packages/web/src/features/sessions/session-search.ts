export const sessionTabs = ['queue', 'info', 'notes', 'logs'] as const
export type SessionTab = (typeof sessionTabs)[number]

export type SessionSearch = { tab?: SessionTab | undefined; find?: string }

export function sessionSearch(raw: Record<string, unknown>): SessionSearch {
  const tab = sessionTabs.find((name) => name === raw.tab)
  const find = typeof raw.find === 'string' || typeof raw.find === 'number' ? String(raw.find) : undefined
  // Named even without a value: the router keeps what the address has under a name that is left out.
  return { tab, ...(find !== undefined && { find }) }
}
