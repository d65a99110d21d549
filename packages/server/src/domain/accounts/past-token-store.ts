import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

export async function insertPastToken(tx: Transaction, accountId: number, tokenDigest: Buffer): Promise<void> {
  await tx
    .insertInto('account_past_tokens')
    .values({ account_id: accountId, token_digest: tokenDigest })
    .onConflict((conflict) => conflict.column('token_digest').doUpdateSet({ account_id: accountId }))
    .execute()
}

export async function deletePastToken(tx: Transaction, tokenDigest: Buffer): Promise<void> {
  await tx.deleteFrom('account_past_tokens').where('token_digest', '=', tokenDigest).execute()
}

export async function hasPastToken(db: Database | Transaction, tokenDigest: Buffer): Promise<boolean> {
  const found = await db
    .selectFrom('account_past_tokens')
    .select('token_digest')
    .where('token_digest', '=', tokenDigest)
    .executeTakeFirst()
  return found !== undefined
}

export function deleteOldPastTokens(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'account_past_tokens', since: 'replaced_at' }, slice)
}
