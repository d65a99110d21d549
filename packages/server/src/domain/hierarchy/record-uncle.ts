import type { Transaction } from '../../platform/db/database.ts'
import {
  deleteUncleLink,
  holdUnlessGone,
  insertUncleLink,
  isAbove,
  lockUncleLinks,
  type UncleSource,
} from './uncle-store.ts'

/**
 * Records the acting session, by the caller's own claim, as a senior of the session that it sends to. Never refuses: an
 * unknown acting session, a known relation and a link that would close a cycle record nothing. A direct link in the
 * opposite direction is reversed. The caller holds the row lock of the receiving session.
 */
export async function recordUncle(
  tx: Transaction,
  { sessionId: junior, actingSessionId: senior, source }: Claim,
): Promise<void> {
  if (senior === undefined || senior === junior) return
  const pair = { senior, junior }
  const reverse = { senior: junior, junior: senior }
  // Checked before the global lock too: nearly every sender is a known senior and should not wait for the lock.
  if (await isAbove(tx, pair, { withoutDirectLink: false })) return
  if (!(await holdUnlessGone(tx, senior))) return
  await lockUncleLinks(tx)
  if (await isAbove(tx, pair, { withoutDirectLink: false })) return
  if (await isAbove(tx, reverse, { withoutDirectLink: true })) return
  await deleteUncleLink(tx, reverse)
  await insertUncleLink(tx, pair, source)
}

export type Claim = { sessionId: number; actingSessionId: number | undefined; source: UncleSource }
