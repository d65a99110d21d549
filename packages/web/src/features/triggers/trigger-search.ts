const tabs = ['edit', 'history'] as const
export type TriggerSearch = { tab?: (typeof tabs)[number] }

export function triggerSearch(raw: Record<string, unknown>): TriggerSearch {
  const tab = tabs.find((known) => known === raw.tab)
  return tab ? { tab } : {}
}
