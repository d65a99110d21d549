import type { Database, Transaction } from '../../platform/db/database.ts'

/**
 * Commits on a connection of its own, before the token is sent. True if a request with this very token was sent before, and
 * its answer never came.
 */
export async function recordSending(db: Database, accountId: number, tokenDigest: Buffer): Promise<boolean> {
  const earlier = await db
    .selectFrom('account_refreshes')
    .select('token_digest')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (earlier?.token_digest.equals(tokenDigest)) return true
  await db
    .insertInto('account_refreshes')
    .values({ account_id: accountId, token_digest: tokenDigest })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ token_digest: tokenDigest }))
    .execute()
  return false
}

export async function forgetSending(tx: Transaction, accountId: number): Promise<void> {
  await tx.deleteFrom('account_refreshes').where('account_id', '=', accountId).execute()
}
