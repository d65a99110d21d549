import type { SessionStatus } from '@yardmaster/contract/sessions/fields'

/** The filters of the board, as its address has them. */
export type BoardSearch = { status?: SessionStatus }

const statuses: readonly SessionStatus[] = ['waiting', 'running', 'needs_input', 'failed', 'archived']

export function boardSearch(raw: Record<string, unknown>): BoardSearch {
  const status = statuses.find((known) => known === raw.status)
  return status ? { status } : {}
}
