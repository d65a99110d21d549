import { z } from 'zod'
import { limits } from '../limits.ts'
import { optionallySent, refuseField } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'
import { clamped } from './queue-fields.ts'
import { HealthStatus } from './report-fields.ts'

export const RetryRequest = z.object({
  session_ids: optionallySent<readonly (number | string)[] | null>()
    .transform((value, context): number[] | undefined => {
      if (value === undefined || value === null) return undefined
      const ids = Array.isArray(value) ? value.map(wholeNumber) : [undefined]
      if (ids.length > limits.bulkArchive)
        return refuseField(context, 'validation_failed', `Session ids is too long (maximum is ${limits.bulkArchive})`)
      const known = ids.filter((id) => id !== undefined)
      if (known.length === ids.length) return [...new Set(known)]
      return refuseField(context, 'validation_failed', 'Session ids must be a list of ids')
    })
    .meta({
      type: 'array',
      items: { type: 'integer' },
      description: `Only these sessions. Without it, up to ${limits.retrySessions} that failed in the last 24 hours.`,
    }),
})

export const ArchiveOldRequest = z.object({
  days: clamped('Days', limits.archiveOldDays, 'Archive sessions that nothing has changed for so many days.'),
})

const AboutSession = z.object({
  session_id: z.int().meta({ description: 'The session.' }),
  reason: z.string().meta({ description: 'Why.' }),
})

export const RetriedSessions = z.object({
  retried: z.array(z.int()).meta({ description: 'Sessions that start again.' }),
  failed: z.array(AboutSession).meta({ description: 'Sessions that an error kept from starting again.' }),
  skipped: z
    .array(AboutSession)
    .meta({ description: 'Sessions that have not failed, cannot be restarted, or were not reached in time.' }),
})

export type RetriedSessions = z.infer<typeof RetriedSessions>

export const ArchivedOldSessions = z.object({
  archived: z.array(z.int()).meta({ description: 'Sessions that were archived.' }),
  failed: z.array(AboutSession).meta({ description: 'Sessions that could not be archived.' }),
  skipped: z
    .array(AboutSession)
    .meta({ description: 'Sessions with queued messages, with a turn to run, or changed in the meantime.' }),
  remaining: z.int().meta({ description: 'Sessions left for the next call: one call takes at most some seconds.' }),
})

export type ArchivedOldSessions = z.infer<typeof ArchivedOldSessions>

const cleanup = {
  terminated: z.array(z.int()).meta({ description: 'Pids of processes that were ended, with all they had started.' }),
  failed: z
    .array(
      z.object({
        pid: z.int().meta({ description: 'The process.' }),
        reason: z.string().meta({ description: 'Why it still runs.' }),
      }),
    )
    .meta({ description: 'Processes that could not be ended.' }),
  already_dead: z.array(z.int()).meta({ description: 'Pids of processes that had ended by themselves.' }),
}

export const CleanedProcesses = z.object({
  ...cleanup,
  hosts: z
    .array(
      z.object({
        host: z.string().meta({ description: 'The id of the host.' }),
        ...cleanup,
        error: z.string().nullable().meta({ description: 'Why the host did not answer.' }),
      }),
    )
    .meta({ description: 'The same by host: a pid means something on its own host only.' }),
})

export type CleanedProcesses = z.infer<typeof CleanedProcesses>

const PostDeployTask = z
  .object({
    version: z.string().meta({ description: 'Its order among the tasks.' }),
    name: z.string().meta({ description: 'What it does.' }),
    status: z.enum(['pending', 'running', 'succeeded', 'failed']).meta({ description: 'Where it stands.' }),
    registered: z.boolean().meta({ description: 'Whether this version of the service knows it.' }),
    attempts: z.int().meta({ description: 'Slices that were started.' }),
    failures: z.int().meta({ description: 'Slices that failed since it was last armed.' }),
    blocked: z.boolean().meta({ description: 'Whether it has failed too often to be tried again by itself.' }),
    stats: z.record(z.string(), z.unknown()).meta({ description: 'What it counted.' }),
    started_at: Timestamp.nullable().meta({ description: 'When its first slice began.' }),
    finished_at: Timestamp.nullable().meta({ description: 'When it was done.' }),
    last_ran_at: Timestamp.nullable().meta({ description: 'When its last slice began.' }),
    next_attempt_at: Timestamp.nullable().meta({ description: 'When the next slice is due.' }),
    last_error: z.string().nullable().meta({ description: 'Why its last failed slice failed.' }),
    last_error_at: Timestamp.nullable().meta({ description: 'When that was.' }),
  })
  .meta({ id: 'PostDeployTask' })

export const PostDeployTasks = z.object({
  status: HealthStatus,
  total: z.int().meta({ description: 'All tasks.' }),
  pending: z.int().meta({ description: 'Not begun, or between two slices.' }),
  running: z.int().meta({ description: 'At work now.' }),
  succeeded: z.int().meta({ description: 'Done.' }),
  failed: z.int().meta({ description: 'Failed, waiting for another attempt or blocked.' }),
  blocked: z.int().meta({ description: 'Failed too often; run_post_deploy_tasks arms them again.' }),
  awaiting_first_tick: z.int().meta({ description: 'Known to this version and not recorded yet.' }),
  tasks: z.array(PostDeployTask).meta({ description: 'The tasks that have not succeeded.' }),
})

export type PostDeployTasks = z.infer<typeof PostDeployTasks>

export const RunPostDeployTasks = PostDeployTasks.extend({
  rearmed: z.int().meta({ description: 'Failed tasks that will be tried again.' }),
  enqueued: z.literal(true).meta({ description: 'A pass over the tasks begins soon.' }),
})
