import { z } from 'zod'
import { limits } from '../limits.ts'
import { optionallySent, refuseField } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'

type Bounds = { min: number; max: number; default: number }

/** A whole number that is clamped into its bounds. Blank means the default; anything that is no number is refused. */
export function clamped(name: string, { min, max, default: fallback }: Bounds, description: string) {
  return optionallySent<number | string | null>()
    .transform((value, context): number => {
      if (value === undefined || value === null || value === '') return fallback
      const number = typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value
      if (typeof number !== 'number' || !Number.isInteger(number))
        return refuseField(context, 'validation_failed', `${name} must be a whole number`)
      return Math.min(Math.max(number, min), max)
    })
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback, description })
}

/** Blank counts as absent. */
const name = (description: string) =>
  z
    .string()
    .nullish()
    .transform((value) => (value === undefined || value === null || value.trim() === '' ? undefined : value))
    .meta({ description })

const reasonLength = 500

const reason = z
  .string()
  .max(reasonLength, `is too long (maximum is ${reasonLength} characters)`)
  .nullish()
  .transform((value) => (value?.trim() ? value.trim() : undefined))
  .meta({ description: 'Why, for the log and for the next person who looks.' })

export const RecoveryRequest = z.object({
  reason,
  ttl_minutes: clamped('Ttl minutes', limits.recoveryMinutes, 'Minutes until the queues resume by themselves.'),
})

export const RecoveryMode = z
  .object({
    active: z.boolean().meta({ description: 'Whether the queues are halted now.' }),
    entered_at: Timestamp.nullable().meta({ description: 'Since when; null when it is not active.' }),
    expires_at: Timestamp.nullable().meta({ description: 'When the queues resume by themselves.' }),
    expires_in_seconds: z.int().nullable().meta({ description: 'Seconds until then.' }),
    reason: z.string().nullable().meta({ description: 'Why it was entered.' }),
    entered_by: z.string().nullable().meta({ description: 'From where: the REST API, the web page, or a tool.' }),
    halted_queues: z.array(z.string()).meta({ description: 'The queues that recovery mode halts.' }),
    paused_queues: z.array(z.string()).meta({ description: 'The queues that are halted now, also by hand.' }),
    live_queues: z.array(z.string()).meta({ description: 'The queues that recovery mode never halts.' }),
  })
  .meta({ id: 'QueueRecoveryMode' })

export type RecoveryMode = z.infer<typeof RecoveryMode>

export const JobFilters = z.object({
  job_class: name('Only jobs of this class.'),
  queue_name: name('Only jobs of this queue.'),
})

export type JobScope = z.output<typeof JobFilters>

const Scope = z.object({
  job_class: z.string().nullable().meta({ description: 'The class that was named.' }),
  queue_name: z.string().nullable().meta({ description: 'The queue that was named.' }),
})

const Counts = z.record(z.string(), z.int())

const counted = {
  scope: Scope.meta({ description: 'What was asked about.' }),
  matched: z.int().meta({ description: 'Jobs that wait in this scope and that no worker has claimed.' }),
  by_job_class: Counts.meta({ description: 'Of these, by class: the largest 25, then the rest in one number.' }),
  by_queue: Counts.meta({ description: 'Of these, by queue.' }),
}

export const QueuedJobs = z.object({
  ...counted,
  over_cap: z.boolean().meta({ description: 'Whether they are more than one call may change.' }),
  max_per_call: z.int().meta({ description: 'How many one call may change.' }),
})

const change = {
  ...JobFilters.shape,
  expected_count: optionallySent<number | string>().meta({
    type: 'integer',
    description: 'How many jobs you expect to change. Nothing changes unless it is exactly the number that matches.',
  }),
  reason,
}

export const DiscardRequest = z.object(change)
export const RescheduleRequest = z.object({
  ...change,
  delay_minutes: clamped('Delay minutes', limits.rescheduleMinutes, 'Minutes from now until they are due.'),
})

const changed = {
  ...counted,
  affected: z.int().meta({ description: 'Jobs that were changed: all that matched.' }),
  actor: z.string().meta({ description: 'From where it was asked.' }),
  performed_at: Timestamp.meta({ description: 'When it was done.' }),
}

const skipped = z
  .array(
    z.object({ id: z.string().meta({ description: 'The job.' }), reason: z.string().meta({ description: 'Why.' }) }),
  )
  .meta({ description: 'Jobs that matched and were left alone. Check and change are one step, so there are none.' })

export const DiscardedJobs = z.object({
  action: z.literal('discard').meta({ description: 'What was done.' }),
  ...changed,
  skipped,
  recoverable: z.literal(false).meta({ description: 'A discarded job never runs.' }),
})

export const RescheduledJobs = z.object({
  action: z.literal('reschedule').meta({ description: 'What was done.' }),
  ...changed,
  skipped,
  scheduled_at: Timestamp.meta({ description: 'When they are due now.' }),
  recoverable: z.literal(true).meta({ description: 'Only their time has changed.' }),
})
