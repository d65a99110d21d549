import { pageOf } from '../../shared/state/page-of.ts'

/** `attention`: only triggers that need some. `page`: of the list. */
export type TriggersSearch = { attention?: boolean; page?: number }

export function triggersSearch(raw: Record<string, unknown>): TriggersSearch {
  return { ...(raw.attention === true && { attention: true }), ...pageOf(raw) }
}

const tabs = ['edit', 'history'] as const
/** `page`: of the history. */
export type TriggerSearch = { tab?: (typeof tabs)[number]; page?: number }

export function triggerSearch(raw: Record<string, unknown>): TriggerSearch {
  const tab = tabs.find((known) => known === raw.tab)
  return { ...(tab && { tab }), ...pageOf(raw) }
}
