import { errnoOf } from '../../platform/process/errno.ts'

/** For `.catch`: undefined for a missing file; every other error is rethrown. */
export function ifMissing(error: unknown): undefined {
  if (errnoOf(error) === 'ENOENT') return undefined
  throw error
}
