import { pageOf } from '../../shared/state/page-of.ts'

const gates = ['pr_merge', 'issue_work'] as const

/** The filters of the ledger, as its address has them. */
export type GateSearch = {
  gate?: (typeof gates)[number]
  q?: string
  decision?: string
  surface?: string
  feedback?: boolean
  from?: string
  to?: string
  page?: number
}

export function gateSearch(raw: Record<string, unknown>): GateSearch {
  const gate = gates.find((known) => known === raw.gate)
  const [q, decision, surface, from, to] = [raw.q, raw.decision, raw.surface, raw.from, raw.to].map((value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '',
  )
  return {
    ...(gate && { gate }),
    ...(q && { q }),
    ...(decision && { decision }),
    ...(surface && { surface }),
    ...(raw.feedback === true && { feedback: true }),
    ...(from && { from }),
    ...(to && { to }),
    ...pageOf(raw),
  }
}
