/** The words of the work backlog, and its bands of ranks. No zod: the client may import this file. */
export const itemStatuses = ['queued', 'started', 'removed'] as const
export const estimatedCosts = ['small', 'medium', 'large'] as const
export const scopeDirections = ['convergent', 'divergent'] as const
export const deadReasons = ['issue_closed', 'issue_has_open_pr', 'session_already_working', 'trust_failed'] as const
export const livenesses = ['unknown', 'open', 'closed', 'missing'] as const

export type ItemStatus = (typeof itemStatuses)[number]
export type EstimatedCost = (typeof estimatedCosts)[number]
export type ScopeDirection = (typeof scopeDirections)[number]
export type Liveness = (typeof livenesses)[number]

export type Band = { cost: EstimatedCost; floor: number; base: number; ceiling: number }

export const ranking = {
  order: 'precedence desc, added_at asc, id asc',
  gap: 10,
  bands: [
    { cost: 'small', floor: 5000, base: 6000, ceiling: 6999 },
    { cost: 'medium', floor: 2000, base: 3000, ceiling: 3999 },
    { cost: 'large', floor: 500, base: 1000, ceiling: 1999 },
  ],
} as const satisfies { order: string; gap: number; bands: readonly Band[] }
