export { showSummary } from './show-summary.ts'
