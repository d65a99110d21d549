import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { type Asker, archiveSession } from './archive.ts'

export type BulkOutcome = { archived_count: number; errors: { id: number; message: string }[] }

/** Archives each session in its own transaction: a session that cannot be archived does not affect the others. */
export async function archiveMany(
  app: App,
  ids: readonly number[],
  request: { force: boolean } & Asker,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { archived_count: 0, errors: [] }
  for (const id of ids) {
    const message = await archiveOne(app, id, request)
    if (message === undefined) outcome.archived_count += 1
    else if (message !== alreadyArchived) outcome.errors.push({ id, message })
  }
  return outcome
}

const alreadyArchived = ''

/** Undefined if the session was archived, else why not. */
async function archiveOne(app: App, id: number, request: { force: boolean } & Asker): Promise<string | undefined> {
  try {
    await archiveSession(app, { id }, request)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.kind === 'cannot_archive') return alreadyArchived
    if (error.kind === 'not_found') return `There is no session ${id}`
    return `${error.messages.join(', ')}\n"force" applies to the whole batch.`
  }
}
