import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import {
  ArchivedOldSessions,
  ArchiveOldRequest,
  CleanedProcesses,
  RetriedSessions,
  RetryRequest,
  RunPostDeployTasks,
} from './action-fields.ts'
import {
  DiscardedJobs,
  DiscardRequest,
  JobFilters,
  QueuedJobs,
  RecoveryMode,
  RecoveryRequest,
  RescheduledJobs,
  RescheduleRequest,
} from './queue-fields.ts'
import { Health } from './report-fields.ts'

const about = { auth: 'api_key', tag: 'Health' } as const

const cooldown = ['maintenance_cooldown', 'cooldown_unavailable'] as const

export const showHealth = defineEndpoint({
  ...about,
  name: 'health.show',
  method: 'GET',
  path: '/health',
  summary: 'Report on all hosts, queues, sessions and background work',
  description:
    'Answers within two seconds. A part that could not be found out in time is unknown, with the reason; the report itself never fails.',
  answers: { 200: Health },
})

export const cleanUpProcesses = defineEndpoint({
  ...about,
  name: 'health.cleanup_processes',
  method: 'POST',
  path: '/health/cleanup_processes',
  summary: 'End agent processes that no turn owns, on every host',
  answers: { 200: CleanedProcesses },
  refusals: cooldown,
})

export const retrySessions = defineEndpoint({
  ...about,
  name: 'health.retry_sessions',
  method: 'POST',
  path: '/health/retry_sessions',
  summary: 'Start failed sessions again',
  body: RetryRequest,
  answers: { 200: RetriedSessions },
  refusals: cooldown,
})

export const archiveOld = defineEndpoint({
  ...about,
  name: 'health.archive_old',
  method: 'POST',
  path: '/health/archive_old',
  summary: 'Archive sessions that nothing has changed for some days',
  description: 'Leaves out sessions that run, wait to run, or have queued messages.',
  body: ArchiveOldRequest,
  answers: { 200: ArchivedOldSessions },
  refusals: cooldown,
})

export const showQueueRecoveryMode = defineEndpoint({
  ...about,
  name: 'health.queue_recovery_mode',
  method: 'GET',
  path: '/health/queue_recovery_mode',
  summary: 'Show whether the queues are halted',
  answers: { 200: RecoveryMode },
})

export const enterQueueRecoveryMode = defineEndpoint({
  ...about,
  name: 'health.enter_queue_recovery_mode',
  method: 'POST',
  path: '/health/enter_queue_recovery_mode',
  summary: 'Halt every queue but those of turns, for some minutes',
  description:
    'Answers when no host starts a job of a halted queue any more, which takes about a second. Jobs that run finish. Repeating it extends the time.',
  body: RecoveryRequest,
  answers: { 200: RecoveryMode },
  refusals: ['recovery_mode_unavailable'],
})

export const exitQueueRecoveryMode = defineEndpoint({
  ...about,
  name: 'health.exit_queue_recovery_mode',
  method: 'POST',
  path: '/health/exit_queue_recovery_mode',
  summary: 'Let the queues go on',
  description: 'Safe to repeat.',
  answers: { 200: RecoveryMode },
})

export const countQueuedJobs = defineEndpoint({
  ...about,
  name: 'health.queued_jobs',
  method: 'GET',
  path: '/health/queued_jobs',
  summary: 'Count the jobs that wait, by class and queue',
  query: JobFilters,
  answers: { 200: QueuedJobs },
  refusals: ['maintenance_refused'],
})

export const discardQueuedJobs = defineEndpoint({
  ...about,
  name: 'health.discard_queued_jobs',
  method: 'POST',
  path: '/health/discard_queued_jobs',
  summary: 'Discard jobs that wait; they never run',
  body: DiscardRequest,
  answers: { 200: DiscardedJobs },
  refusals: ['maintenance_refused'],
})

export const rescheduleQueuedJobs = defineEndpoint({
  ...about,
  name: 'health.reschedule_queued_jobs',
  method: 'POST',
  path: '/health/reschedule_queued_jobs',
  summary: 'Move jobs that wait to another time',
  body: RescheduleRequest,
  answers: { 200: RescheduledJobs },
  refusals: ['maintenance_refused'],
})

export const runPostDeployTasks = defineEndpoint({
  ...about,
  name: 'health.run_post_deploy_tasks',
  method: 'POST',
  path: '/health/run_post_deploy_tasks',
  summary: 'Try one-time tasks that failed again, and begin a pass',
  body: z.object({}),
  answers: { 200: RunPostDeployTasks },
})

export const endpoints = [
  showHealth,
  cleanUpProcesses,
  retrySessions,
  archiveOld,
  showQueueRecoveryMode,
  enterQueueRecoveryMode,
  exitQueueRecoveryMode,
  countQueuedJobs,
  discardQueuedJobs,
  rescheduleQueuedJobs,
  runPostDeployTasks,
] as const
