export const windows = [1, 7, 30, 90, 365] as const
const groupings = ['root', 'model', 'source'] as const

const units = ['dollars', 'tokens'] as const

export type Unit = (typeof units)[number]
export type Grouping = (typeof groupings)[number]

/** The window, the grouping and the unit of the chart and the scope, as the address has them. */
export type CostsSearch = { days?: number; by?: Grouping; unit?: Unit; root?: string; session?: string }

export function costsSearch(raw: Record<string, unknown>): CostsSearch {
  const days = windows.find((known) => known === Number(raw.days))
  const by = groupings.find((known) => known === raw.by)
  const unit = units.find((known) => known === raw.unit)
  const [root, session] = [raw.root, raw.session].map((value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '',
  )
  return {
    ...(days && { days }),
    ...(by && { by }),
    ...(unit && { unit }),
    ...(root && { root }),
    ...(session && { session }),
  }
}
