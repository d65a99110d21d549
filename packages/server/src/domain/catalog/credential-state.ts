import type { Transaction } from '../../platform/db/database.ts'
import type { CatalogTree } from './tree.ts'

/** The sign-in state of a remote server, as recorded here; the server is not contacted. */
export type CredentialState =
  | 'ready'
  | 'not_required'
  | 'token_expired'
  | 'needs_authorization'
  | 'needs_reauth'
  | 'store_unavailable'
  /** No attempt yet: the server may need no sign-in. */
  | 'unknown'

/** With a transaction: as that transaction sees it, for decisions. Without: as it was a few seconds ago, for lists. */
export type CredentialStates = (serverName: string, tx?: Transaction) => Promise<CredentialState>

/** Cache lifetime: lists look up every server, and a completed sign-in must show soon. */
const keptMs = 5000

/** Caches the given source per server. Without a source, a server with `oauth` always needs authorization. */
export function credentialStates(tree: () => CatalogTree, ask?: CredentialStates): CredentialStates {
  if (!ask) return async (name) => (tree().mcpServers.find(name)?.oauth ? 'needs_authorization' : 'unknown')
  const kept = new Map<string, { answer: Promise<CredentialState>; askedAt: number }>()
  return (name, tx) => {
    if (tx) return ask(name, tx)
    const earlier = kept.get(name)
    if (earlier && performance.now() - earlier.askedAt < keptMs) return earlier.answer
    const answer = ask(name)
    kept.set(name, { answer, askedAt: performance.now() })
    answer.catch(() => kept.delete(name)) // the caller handles the error
    return answer
  }
}
