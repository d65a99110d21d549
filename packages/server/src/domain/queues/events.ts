export { healthChanged, queuedJobsChanged, recoveryModeChanged } from '@yardmaster/contract/health/events'
