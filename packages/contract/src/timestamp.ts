import { z } from 'zod'

/** ISO 8601 in UTC, whole seconds: `2026-08-22T18:09:42Z`. Storage keeps microseconds; order never depends on this text. */
export const Timestamp = z.string().meta({ format: 'date-time', examples: ['2026-08-22T18:09:42Z'] })

export function formatTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
