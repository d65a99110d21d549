import { z } from 'zod'
import { OneSession } from '../lifecycle/fields.ts'
import { limits } from '../limits.ts'
import { readBoolean } from '../query.ts'
import { optionallySent, refuseField } from '../sent.ts'
import { wholeNumber } from '../whole-number.ts'

const { min, max } = limits.heartbeatIntervalSeconds

/** Null counts as absent, and an absent key changes nothing. */
export const HeartbeatChange = z
  .object({
    enabled: optionallySent<boolean | string | number | null>()
      .transform((value, context): boolean | undefined => {
        if (value === undefined || value === null) return undefined
        return readBoolean(value) ?? refuseField(context, 'validation_failed', 'enabled must be a boolean')
      })
      .meta({ type: 'boolean', description: 'Whether it is nudged while it rests; absent leaves it.' }),
    interval_seconds: optionallySent<number | string | null>()
      .transform((value, context): number | undefined => {
        if (value === undefined || value === null) return undefined
        const seconds = wholeNumber(value)
        if (seconds === undefined) {
          return refuseField(context, 'validation_failed', 'interval_seconds must be an integer')
        }
        if (seconds >= min && seconds <= max) return seconds
        const bound = seconds < min ? `greater than or equal to ${min}` : `less than or equal to ${max}`
        return refuseField(context, 'validation_failed', `Heartbeat interval seconds must be ${bound}`)
      })
      .meta({
        type: 'integer',
        minimum: min,
        maximum: max,
        description: 'Seconds between nudges; absent leaves it.',
      }),
  })
  .superRefine(({ enabled, interval_seconds }, context) => {
    if (enabled === undefined && interval_seconds === undefined) {
      refuseField(context, 'missing_parameter', 'Provide enabled and/or interval_seconds')
    }
  })

export type HeartbeatChange = z.output<typeof HeartbeatChange>

export const ChangedHeartbeat = OneSession.extend({
  heartbeat_enabled: z.boolean().meta({ description: 'Whether it is nudged while it rests.' }),
  heartbeat_interval_seconds: z.int().meta({ description: 'Seconds between nudges.' }),
})
