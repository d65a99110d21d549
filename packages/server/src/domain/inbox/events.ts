export { turnEnded, turnStarted } from '@yardmaster/contract/inbox/events'
