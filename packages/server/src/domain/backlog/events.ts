export { backlogChanged } from '@yardmaster/contract/backlog/events'
