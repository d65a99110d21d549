import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { runForEach } from '../../platform/jobs/run-for-each.ts'
import type { App } from '../app.ts'
import { freeSlug, readMetadata, recordTitle } from '../sessions/session.ts'
import { titleFromFailure, titleFromPrompt } from './derive-title.ts'
import { lockUntitled, selectFirstPrompt, selectUntitled } from './title-store.ts'

/**
 * Replaces the placeholder title, and sets the slug with it, once. Reads the placeholder mark under the session's lock: a
 * title that a person wrote first has removed the mark and is never overwritten.
 */
export async function giveTitle(app: App, tx: Transaction, sessionId: number): Promise<void> {
  const session = await lockUntitled(tx, sessionId)
  if (!session) return
  const { id, status, created_at, slug, title: placeholder } = session
  const prompt = (await selectFirstPrompt(tx, id)) ?? session.prompt ?? ''
  const derived =
    status === 'failed' ? titleFromFailure(readMetadata(session)) : titleFromPrompt(app.redactor.excerpt(prompt))
  const title = derived || placeholder
  await recordTitle(tx, id, {
    title,
    ...(slug === null && title !== null && { slug: await freeSlug(tx, title, created_at) }),
  })
}

const batchSize = 50

/** Titles every session that is due, each in its own transaction. */
export async function titleOverdueSessions(app: App): Promise<RunResult> {
  const ids = await selectUntitled(app.db, batchSize)
  await runForEach(ids, (id) => transact(app.db, (tx) => giveTitle(app, tx, id)))
  return 'done'
}
