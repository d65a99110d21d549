import type { Transaction } from '../../platform/db/database.ts'
import type { Catalog } from './open-catalog.ts'
import { placeholdersIn } from './secrets/placeholders.ts'
import { textsOf } from './secrets/secrets.ts'
import type { DeclaredServer } from './tree.ts'

/** For each state, whether the server can start and the reason to show if not. */
const states = {
  ready: null,
  no_credential_required: null,
  token_expired: null,
  missing_configuration: 'unresolved',
  needs_authorization: 'OAuth authorization not completed',
  needs_reauth: 'OAuth token expired and cannot be refreshed',
  declared_unavailable: 'declared',
  store_unavailable: null,
  probe_failed: null,
} as const

export type AvailabilityState = keyof typeof states
/** `reason` is null exactly when the server appears usable. */
export type Availability = { state: AvailabilityState; reason: string | null }

const maxReason = 200

/** Decides from local state; the server is not contacted. Unknown counts as available. */
export async function availabilityOf(
  catalog: Catalog,
  server: DeclaredServer,
  tx?: Transaction,
): Promise<Availability> {
  if (server.declaredUnavailable !== undefined) {
    const reason = Array.from(server.declaredUnavailable.trim().replace(/\s+/g, ' ')).slice(0, maxReason).join('')
    return { state: 'declared_unavailable', reason }
  }
  const missing = missingNames(catalog, textsOf(server.transport))
  if (missing.length > 0) {
    return { state: 'missing_configuration', reason: `${missing.map((name) => `\`${name}\``).join(', ')} unresolved` }
  }
  if (server.transport.kind === 'stdio') return { state: 'no_credential_required', reason: null }
  if (!takesSignIn(server)) return { state: 'ready', reason: null }
  const state = await signInOf(catalog, server, tx)
  return { state, reason: states[state] }
}

/** Distinct placeholder names that have neither a value nor a default. */
export function missingNames(catalog: Catalog, texts: Iterable<string>): string[] {
  const secrets = catalog.secrets()
  const missing = placeholdersIn(texts).filter(({ name, isRequired }) => isRequired && secrets.find(name) === undefined)
  return [...new Set(missing.map(({ name }) => name))]
}

async function signInOf(
  catalog: Catalog,
  server: DeclaredServer,
  tx: Transaction | undefined,
): Promise<AvailabilityState> {
  try {
    const state = await catalog.credentialState(server.name, tx)
    if (state === 'unknown') return 'probe_failed'
    return state === 'not_required' ? 'no_credential_required' : state
  } catch {
    // A failed lookup must not fail the whole list. The source of sign-ins logs its own errors.
    return 'probe_failed'
  }
}

/** A remote server without a credential among its headers. */
export function takesSignIn({ transport }: DeclaredServer): boolean {
  return transport.kind !== 'stdio' && !Object.keys(transport.headers).some(isCredentialHeader)
}

const credentialWords: ReadonlySet<string> = new Set([
  'authorization',
  'auth',
  'apikey',
  'token',
  'secret',
  'password',
  'credential',
  'credentials',
])

/** Matches whole words: `X-API-Key` and `X-Auth-Token` are credentials, `Idempotency-Key` and `X-Author` are not. */
export function isCredentialHeader(name: string): boolean {
  const words = name.toLowerCase().split(/[-_]/)
  return words.some((word, index) => credentialWords.has(word) || (word === 'api' && words[index + 1] === 'key'))
}
