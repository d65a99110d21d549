import { pageOf } from '../../shared/state/page-of.ts'

export const sessionTabs = ['queue', 'info', 'notes', 'logs'] as const
export type SessionTab = (typeof sessionTabs)[number]

/** `level` and `page`: of the logs. */
export type SessionSearch = {
  tab?: SessionTab | undefined
  find?: string | undefined
  level?: string | undefined
  page?: number | undefined
}

export type LogsChoice = Pick<SessionSearch, 'level' | 'page'>

export function sessionSearch(raw: Record<string, unknown>): SessionSearch {
  const textOf = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  // Named even without a value: the router keeps what the address has under a name that is left out.
  return {
    tab: sessionTabs.find((name) => name === raw.tab),
    find: textOf(raw.find),
    level: textOf(raw.level),
    page: pageOf(raw).page,
  }
}
