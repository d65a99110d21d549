export { recordThreadGrowth } from './record-thread-growth.ts'
export { endRunningSubagents } from './subagent-store.ts'
