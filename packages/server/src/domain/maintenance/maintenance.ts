/** The face of the room: the health report, and what an operator does about it. */
export { archiveOldSessions, cleanUpProcesses, retrySessions } from './actions.ts'
export { type Asker, withCooldown } from './cooldown.ts'
export { exportDiagnostics } from './diagnostics.ts'
export type { MaintenanceParts } from './parts.ts'
export { runPostDeployTasks } from './post-deploy-tasks.ts'
export { showHealth } from './report.ts'
export { backgroundHealth } from './sections/background.ts'
export { openFacts } from './sections/facts.ts'
