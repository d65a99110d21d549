export { queuedJobsChanged, recoveryModeChanged } from '@yardmaster/contract/health/events'
