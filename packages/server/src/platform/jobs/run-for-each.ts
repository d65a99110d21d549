import { isOutage } from '../db/outage.ts'

/**
 * Runs `work` for each id in turn. A failure does not stop the others; after the last one all failures are thrown as one
 * error that names their ids. An outage of the database stops at once, because the others would meet it too.
 */
export async function runForEach(ids: readonly number[], work: (id: number) => Promise<unknown>): Promise<void> {
  const failures: Error[] = []
  for (const id of ids) {
    try {
      await work(id)
    } catch (error) {
      if (isOutage(error)) throw error
      failures.push(new Error(`${id}: ${error instanceof Error ? error.message : String(error)}`, { cause: error }))
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${ids.length} failed (${failures[0]?.message})`)
}
