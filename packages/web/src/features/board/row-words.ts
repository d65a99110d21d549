import type { BoardCard } from './board-cache.ts'

/** A card has its prompt only while its title is no more than its number. */
export function nameOfCard({ id, prompt, title, slug }: Pick<BoardCard, 'id' | 'prompt' | 'title' | 'slug'>): string {
  return prompt ?? title ?? slug ?? `Session ${id}`
}

const quietAfterMs = 120_000
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** "6 m", in the largest whole unit. */
function lengthOf(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? ['s', 1_000]
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`
}

export function ageOf(at: string, now: number): string {
  return lengthOf(now - Date.parse(at))
}

/** "quiet 6 m" for an agent that runs and has written nothing for minutes. */
export function silenceOf(
  { status, last_written_at: written = '', working_since: began = '' }: BoardCard,
  now: number,
): string | undefined {
  // Times of the API sort as texts.
  const since = written > began ? written : began
  if (status !== 'running' || !since) return undefined
  const silentMs = now - Date.parse(since)
  return silentMs < quietAfterMs ? undefined : `quiet ${lengthOf(silentMs)}`
}

const holds: Record<string, string> = {
  fleet_at_cap: 'Waits for a free slot',
  at_utilization_limit: 'Waits for quota',
  budget_exhausted: 'Waits for a budget',
  account_unavailable: 'No account free',
  account_needs_reauth: 'Sign in: no account free',
}

/** No vendor account can serve it: it has no place in the spot queue. */
export function isParked({ held }: BoardCard): boolean | undefined {
  return held?.reason.startsWith('account')
}

/** The one line that says most about a session now. */
export function lastWords({ status, question, failure, held, last_line }: BoardCard, now: number): string | undefined {
  if (question) return `“${question.message}”`
  if (status === 'failed' && failure) return failure
  if (held) {
    const waitMs = Date.parse(held.until ?? '') - now
    return (holds[held.reason] ?? held.reason) + (waitMs > 0 ? `, one in ${lengthOf(waitMs)}` : '')
  }
  return last_line
}

/** Where it works and on what: "storefront · runtime_alpha · a-model". A runtime with one model of its own name is said once. */
export function placeOf({ agent_root, agent_runtime, model }: BoardCard): string {
  return [...new Set([agent_root, agent_runtime, model])].filter(Boolean).join(' · ')
}
