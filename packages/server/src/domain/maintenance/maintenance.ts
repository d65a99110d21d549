/** The face of the room: the health report, and what an operator does about it. */
export { archiveOldSessions, cleanUpProcesses, retrySessions } from './actions.ts'
export { type Asker, withCooldown } from './cooldown.ts'
export { exportDiagnostics } from './diagnostics.ts'
export type { MaintenanceParts } from './parts.ts'
export { runPostDeployTasks } from './post-deploy-tasks.ts'
export { discardQueuedJobs, rescheduleQueuedJobs } from './queued-jobs.ts'
export { enterRecoveryMode, exitRecoveryMode } from './recovery-mode.ts'
export { showHealth } from './report.ts'
