/** The face of the room: what people do about queues and the jobs in them. */
export { discardJob, forgetJob, pauseQueueByHand, rescheduleJob, resumeQueueByHand, retryJob } from './change-job.ts'
export {
  classesOf,
  countQueuedJobs,
  discardQueuedJobs,
  rescheduleQueuedJobs,
} from './queued-jobs.ts'
export { enterRecoveryMode, exitRecoveryMode, showRecoveryMode } from './recovery-mode.ts'
