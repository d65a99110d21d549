import { type EstimatedCost, estimatedCosts } from '@yardmaster/contract/backlog/vocabulary'
import { pageOf } from '../../shared/state/page-of.ts'

const views = ['queued', 'in_flight', 'parked', 'started', 'removed'] as const

export type View = (typeof views)[number]

/** The filters of the backlog, as its address has them. */
export type BacklogSearch = {
  status?: View
  cost?: EstimatedCost
  repo?: string
  surface?: string
  kind?: string
  pinned?: boolean
  page?: number
}

export function backlogSearch(raw: Record<string, unknown>): BacklogSearch {
  const status = views.find((known) => known === raw.status)
  const cost = estimatedCosts.find((known) => known === raw.cost)
  const [repo, surface, kind] = [raw.repo, raw.surface, raw.kind].map((value) =>
    typeof value === 'string' ? value : '',
  )
  return {
    ...(status && { status }),
    ...(cost && { cost }),
    ...(repo && { repo }),
    ...(surface && { surface }),
    ...(kind && { kind }),
    ...(typeof raw.pinned === 'boolean' && { pinned: raw.pinned }),
    ...pageOf(raw),
  }
}
