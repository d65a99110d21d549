import type { Database } from '../../platform/db/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { placeOf } from './social-credential.ts'
import { type SocialCredentialRow, selectAllSocial } from './social-credential-store.ts'

/** The stored tokens that placeholders of the catalog are filled in with, by name, as they were read last. */
export type VendedTokens = {
  find(name: string): string | undefined
  names(): readonly string[]
  renew(): Promise<void>
}

declare module '../app.ts' {
  interface App {
    vended: VendedTokens
  }
}

export function openVendedTokens({ db, vault }: { db: Database; vault: Vault }): VendedTokens {
  let tokens: ReadonlyMap<string, string> = new Map()
  let begun = 0
  let latest = 0
  return {
    find: (name) => tokens.get(name),
    names: () => [...tokens.keys()],
    renew: async () => {
      begun += 1
      const mine = begun
      const rows = await selectAllSocial(db)
      // One that began earlier may have read before a refresh that a later one has seen.
      if (mine < latest) return
      latest = mine
      tokens = new Map(rows.flatMap((row) => opened(vault, row)))
    },
  }
}

/** A token that cannot be opened is left out. What watches the sealed values logs it. */
function opened(vault: Vault, { id, access_token_env_var: name, access_token }: SocialCredentialRow) {
  try {
    return [[name, vault.open(placeOf(id, 'access_token'), access_token)] as const]
  } catch {
    return []
  }
}
