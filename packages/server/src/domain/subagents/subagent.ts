export { followThread } from './follow-thread.ts'
export { updateRunningSubagents as settleSubagents } from './subagent-store.ts'
