import type { CatalogTree } from './tree.ts'

/** What is known of the sign-in at a remote server, without asking the server. */
export type CredentialState =
  | 'ready'
  | 'not_required'
  | 'token_expired'
  | 'needs_authorization'
  | 'needs_reauth'
  | 'store_unavailable'
  /** Nobody has tried yet: it may need none. */
  | 'unknown'

export type CredentialStates = (serverName: string) => Promise<CredentialState>

/** Lists ask for every server; a sign-in that was just completed shows within this. */
const keptMs = 5000

/** The given source, asked at most every few seconds for each server. Without one there are no sign-ins at all. */
export function credentialStates(tree: () => CatalogTree, ask?: CredentialStates): CredentialStates {
  if (!ask) return async (name) => (tree().mcpServers.find(name)?.oauth ? 'needs_authorization' : 'unknown')
  const kept = new Map<string, { answer: Promise<CredentialState>; askedAt: number }>()
  return (name) => {
    const earlier = kept.get(name)
    if (earlier && performance.now() - earlier.askedAt < keptMs) return earlier.answer
    const answer = ask(name)
    kept.set(name, { answer, askedAt: performance.now() })
    answer.catch(() => kept.delete(name)) // the one who asked hears of it
    return answer
  }
}
