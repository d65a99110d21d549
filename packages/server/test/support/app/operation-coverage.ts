import { operations } from '@yardmaster/contract/operations'
import { calledOperations } from '../vitest/called-operations.ts'

/** `record` notes that a test called the operation over HTTP with success. */
const coverage = calledOperations({
  variable: 'YARDMASTER_TEST_OPERATIONS',
  uncalled: uncalledOperations,
  complaint: 'No test calls these operations over HTTP with success',
})
export const recordOperation = coverage.record
export default coverage.setup

export function uncalledOperations(called: ReadonlySet<string>): string[] {
  return operations.map(({ name }) => name).filter((name) => !called.has(name))
}
