import type { Database, Transaction } from '../../platform/db/database.ts'

/** Replaces the token of an earlier run. */
export async function upsertToken(
  tx: Transaction,
  token: { session_id: number; digest: Buffer; run_marker: string },
): Promise<void> {
  await tx
    .insertInto('elicitation_tokens')
    .values(token)
    .onConflict((conflict) =>
      conflict.column('session_id').doUpdateSet({ digest: token.digest, run_marker: token.run_marker }),
    )
    .execute()
}

/** Of the session, or only if it belongs to this run. */
export async function deleteToken(tx: Transaction, sessionId: number, marker?: string): Promise<void> {
  await tx
    .deleteFrom('elicitation_tokens')
    .where('session_id', '=', sessionId)
    .$if(marker !== undefined, (query) => query.where('run_marker', '=', marker ?? ''))
    .execute()
}

export type TokenOwner = { session_id: number; run_marker: string }

export function selectTokenOwner(db: Database | Transaction, digest: Buffer): Promise<TokenOwner | undefined> {
  return db
    .selectFrom('elicitation_tokens')
    .select(['session_id', 'run_marker'])
    .where('digest', '=', digest)
    .executeTakeFirst()
}
