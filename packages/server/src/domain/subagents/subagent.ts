export { recordThreadGrowth } from './record-thread-growth.ts'
export { updateRunningSubagents as endRunningSubagents } from './subagent-store.ts'
