import { z } from 'zod'
import { resetTime } from '../accounts/reset-time.ts'

const Window = z.object({ usedPercent: z.number(), resetsAt: z.number().nullish() }).nullish()

/** What codex read from the vendor's rate-limit headers. */
export const CodexLimits = z.object({ rateLimits: z.object({ primary: Window, secondary: Window }) })
export type CodexLimits = z.infer<typeof CodexLimits>

/** The window that is spent. The weekly one counts if both are, because it ends later. */
export function spentWindow(limits: CodexLimits | undefined): {
  window: 'five_hour' | 'weekly' | null
  resetsAt: Date | null
} {
  const { primary, secondary } = limits?.rateLimits ?? {}
  const [window, spent] =
    (secondary?.usedPercent ?? 0) >= 100
      ? (['weekly', secondary] as const)
      : (primary?.usedPercent ?? 0) >= 100
        ? (['five_hour', primary] as const)
        : ([null, undefined] as const)
  return { window, resetsAt: resetTime(spent?.resetsAt) }
}
