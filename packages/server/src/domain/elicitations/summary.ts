import { truncate } from '../../platform/truncate.ts'
import type { ElicitationRow } from './elicitation-table.ts'

/** In characters. */
const maxSummary = 300

/** The start of the question, for the session's log and marks. The message is stored redacted. */
export function summaryOf({ message }: Pick<ElicitationRow, 'message'>): string {
  return truncate(message, maxSummary, '…')
}
