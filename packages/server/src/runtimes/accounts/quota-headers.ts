import { resetTime } from './reset-time.ts'
import type { QuotaWindow } from './vendor-accounts.ts'

type Names = { utilization: string; reset: string; status?: string }

/** A window of the vendor's rate-limit headers. Null if they do not name it. `scale`: what a whole window counts. */
export function windowOf(headers: Headers, { utilization, reset, status }: Names, scale: number): QuotaWindow | null {
  const used = numberIn(headers, utilization)
  if (used === undefined) return null
  const share = Math.min(Math.max(used / scale, 0), 1)
  return {
    utilization: share,
    resetsAt: resetTime(numberIn(headers, reset)),
    status: (status && headers.get(status)) || (share >= 1 ? 'rejected' : 'allowed'),
  }
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = headers.get(name)
  const number = value === null || value.trim() === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : undefined
}
