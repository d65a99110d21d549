import type { SessionRef } from '@yardmaster/contract/identifiers'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSessionForReference } from '../sessions/session.ts'
import { deleteUncleLink, type Pair, selectUncleLink } from './uncle-store.ts'

type Detachment = { junior: SessionRef; senior: SessionRef; actingSessionId: number | undefined }

/** Removes one link and no other; a link that points the other way is named and left alone. */
export async function detachUncle(app: App, asked: Detachment): Promise<void> {
  await transact(app.db, async (tx) => {
    const { id: junior } = (await selectSessionForReference(tx, asked.junior)) ?? refuseMissing()
    const { id: senior } = (await selectSessionForReference(tx, asked.senior)) ?? refuseUnknown(asked.senior, junior)
    const pair = { senior, junior }
    const link = await deleteUncleLink(tx, pair)
    if (!link) {
      const isReversed = await selectUncleLink(tx, { senior: junior, junior: senior })
      return refuse('no_uncle_link', isReversed ? reversedText(pair) : missingText(pair))
    }
    const who =
      asked.actingSessionId === undefined
        ? 'an undeclared REST caller'
        : `session #${asked.actingSessionId} via the REST API`
    const text = `Session #${senior} is no longer an uncle of session #${junior}: detached by ${who}. The link was recorded at ${formatTimestamp(link.created_at)} by ${link.source}.`
    await note(app, tx, junior, text)
    await note(app, tx, senior, text)
  })
}

function refuseUnknown(senior: SessionRef, junior: number): never {
  const name = 'id' in senior ? `#${senior.id}` : `"${senior.slug}"`
  return refuse('no_uncle_link', `There is no session ${name}, so it is no uncle of session #${junior}`)
}

function missingText({ senior, junior }: Pair): string {
  return `Session #${senior} is not an uncle of session #${junior}`
}

function reversedText(pair: Pair): string {
  const { senior, junior } = pair
  return `${missingText(pair)}. The link points the other way: session #${junior} is an uncle of session #${senior}. To remove that one, DELETE /api/v1/sessions/${senior}/uncle_links/${junior}`
}
