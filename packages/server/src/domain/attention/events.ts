export { sessionSeen } from '@yardmaster/contract/attention/events'
