import { pageOf } from '../../shared/state/page-of.ts'

/** The filters of the outcomes, and a batch whose progress is shown, as the address has them. */
export type OutcomesSearch = {
  outcome?: 'Success' | 'Failure'
  root?: string
  runtime?: string
  model?: string
  from?: string
  to?: string
  page?: number
  batch?: number
}

export function outcomesSearch(raw: Record<string, unknown>): OutcomesSearch {
  const outcome = (['Success', 'Failure'] as const).find((known) => known === raw.outcome)
  const [root, runtime, model, from, to] = [raw.root, raw.runtime, raw.model, raw.from, raw.to].map((value) =>
    typeof value === 'string' ? value : '',
  )
  const batch = Number(raw.batch)
  return {
    ...(outcome && { outcome }),
    ...(root && { root }),
    ...(runtime && { runtime }),
    ...(model && { model }),
    ...(from && { from }),
    ...(to && { to }),
    ...pageOf(raw),
    ...(Number.isInteger(batch) && batch > 0 && { batch }),
  }
}

/** How the segments of one outcome are shown. The graph has no name in the address. */
export function outcomeSearch({ view }: Record<string, unknown>): { view?: 'text' } {
  return view === 'text' ? { view } : {}
}
