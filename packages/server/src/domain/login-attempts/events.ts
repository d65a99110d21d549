export { loginAttemptChanged } from '@yardmaster/contract/accounts/events'
