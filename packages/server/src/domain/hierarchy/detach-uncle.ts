import type { SessionRef } from '@yardmaster/contract/identifiers'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSessionForReference } from '../sessions/session.ts'
import { deleteUncleLink, type Pair, selectUncleLink } from './uncle-store.ts'

type DetachRequest = { junior: SessionRef; senior: SessionRef; actingSessionId: number | undefined }

/** Removes exactly this link. If only the reverse link exists, the refusal says so and the link stays. */
export async function detachUncle(app: App, request: DetachRequest): Promise<void> {
  await transact(app.db, async (tx) => {
    const { id: junior } = (await selectSessionForReference(tx, request.junior)) ?? refuseMissing()
    const { id: senior } =
      (await selectSessionForReference(tx, request.senior)) ?? refuseUnknown(request.senior, junior)
    const pair = { senior, junior }
    const link = await deleteUncleLink(tx, pair)
    if (!link) {
      const isReversed = await selectUncleLink(tx, { senior: junior, junior: senior })
      return refuse('no_uncle_link', isReversed ? reversedText(pair) : missingText(pair))
    }
    const who =
      request.actingSessionId === undefined
        ? 'an undeclared REST caller'
        : `session #${request.actingSessionId} via the REST API`
    const text = `Session #${senior} is no longer an uncle of session #${junior}: detached by ${who}. The link was recorded at ${formatTimestamp(link.created_at)} by ${link.source}.`
    await note(app, tx, junior, text)
    await note(app, tx, senior, text)
  })
}

function refuseUnknown(senior: SessionRef, junior: number): never {
  const name = 'id' in senior ? `#${senior.id}` : `"${senior.slug}"`
  return refuse('no_uncle_link', `There is no session ${name}, so it is not an uncle of session #${junior}`)
}

function missingText({ senior, junior }: Pair): string {
  return `Session #${senior} is not an uncle of session #${junior}`
}

function reversedText(pair: Pair): string {
  const { senior, junior } = pair
  return `${missingText(pair)}. The link points the other way: session #${junior} is an uncle of session #${senior}. To remove that one, DELETE /api/v1/sessions/${senior}/uncle_links/${junior}`
}
