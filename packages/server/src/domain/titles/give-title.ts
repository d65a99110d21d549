import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { freeSlug, recordTitle } from '../sessions/session.ts'
import { titleFromFailure, titleFromPrompt } from './derive-title.ts'
import { lockUntitled, selectFirstPrompt, selectUntitled } from './title-store.ts'

/**
 * A better title than the placeholder, and with it the slug, once. Under the session's lock, where the mark tells whether a
 * person was faster: what they wrote is never overwritten.
 */
export async function giveTitle(app: App, sessionId: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const session = await lockUntitled(tx, sessionId)
    if (!session) return
    const { id, status, metadata, created_at, slug, title: placeholder } = session
    const prompt = (await selectFirstPrompt(tx, id)) ?? session.prompt ?? ''
    const made = status === 'failed' ? titleFromFailure(metadata) : titleFromPrompt(app.redactor.text(prompt))
    const title = made || placeholder
    await recordTitle(tx, id, {
      title,
      ...(slug === null && title !== null && { slug: await freeSlug(tx, title, created_at) }),
    })
  })
}

/** At a time; there are never many. */
const batch = 50

/** One by one, and none suffers for another. */
export async function titleAllDue(app: App): Promise<void> {
  for (const id of await selectUntitled(app.db, batch)) {
    await giveTitle(app, id).catch((error: unknown) =>
      app.log.warn({ sessionId: id, reason: String(error) }, 'a session could not be given its title now'),
    )
  }
}
