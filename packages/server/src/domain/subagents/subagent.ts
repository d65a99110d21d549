export { followThread } from './record-thread-growth.ts'
export { updateRunningSubagents as settleSubagents } from './subagent-store.ts'
