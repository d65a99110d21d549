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
 * Records that the session which says it is calling is a senior of the one it speaks to. Never refuses: a claim that
 * names nobody, says nothing new or would close a circle records nothing. Who was a direct uncle of the caller becomes its
 * junior. The caller of this holds the lock of the session that is spoken to.
 */
export async function recordUncle(
  tx: Transaction,
  { sessionId: junior, actingSessionId: senior, source }: Claim,
): Promise<void> {
  if (senior === undefined || senior === junior) return
  const pair = { senior, junior }
  const reverse = { senior: junior, junior: senior }
  // Looked at before the lock as well: nearly all who speak are parents or known already, and should not line up.
  if (await isAbove(tx, pair, { withoutDirectLink: false })) return
  if (!(await holdUnlessGone(tx, senior))) return
  await lockUncleLinks(tx)
  if (await isAbove(tx, pair, { withoutDirectLink: false })) return
  if (await isAbove(tx, reverse, { withoutDirectLink: true })) return
  await deleteUncleLink(tx, reverse)
  await insertUncleLink(tx, pair, source)
}

export type Claim = { sessionId: number; actingSessionId: number | undefined; source: UncleSource }
