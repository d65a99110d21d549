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
  const [page, batch] = [raw.page, raw.batch].map(Number)
  return {
    ...(outcome && { outcome }),
    ...(root && { root }),
    ...(runtime && { runtime }),
    ...(model && { model }),
    ...(from && { from }),
    ...(to && { to }),
    ...(Number.isInteger(page) && Number(page) > 1 && { page }),
    ...(Number.isInteger(batch) && Number(batch) > 0 && { batch }),
  }
}

/** The same filters in the words of the API. */
export function filtersOf({ outcome, root, runtime, model, from, to }: OutcomesSearch) {
  return {
    ...(outcome && { outcome }),
    ...(root && { agent_root: root }),
    ...(runtime && { agent_runtime: runtime }),
    ...(model && { model }),
    ...(from && { from }),
    ...(to && { to }),
  }
}
