/** The face of the room. */
export { showSummary } from './show-summary.ts'
