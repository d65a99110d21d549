import type { Connector } from '@yardmaster/contract/connectors/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { availabilityOf, missingNames, takesSignIn, textsOf } from '../catalog/catalog.ts'
import { credentialKeyOf, isRefreshable, listCredentials, type McpCredentialRow } from '../credentials/credential.ts'
import { selectPendingServers } from './flow-store.ts'
import { waitingSessions } from './parking.ts'
import { oauthTextsOf, remoteServerOf } from './remote-server.ts'

const whereToSet = 'in secrets.json in the home of the server, or in the environment of the server, which then restarts'

export async function listConnectors(app: App) {
  const declared = app.catalog.current().mcpServers.list
  const waiting = await waitingSessions(app.db)
  return transact(app.db, async (tx) => {
    const rows = await listCredentials(tx)
    const byKey = new Map(rows.map((row) => [row.credential_key, row]))
    const pending = await selectPendingServers(tx)
    const connectors: Connector[] = []
    for (const server of declared) {
      const remote = remoteServerOf(server)
      const key = remote && credentialKeyOf(remote)
      const row = key === undefined ? undefined : byKey.get(key)
      if (key !== undefined) byKey.delete(key)
      const { state, reason } = await availabilityOf(app.catalog, server, tx)
      const missing = missingNames(app.catalog, [...textsOf(server.transport), ...oauthTextsOf(server)])
      connectors.push({
        name: server.name,
        title: server.title,
        description: server.description,
        transport: server.transport.kind,
        server_url: remote?.url ?? null,
        state,
        reason,
        takes_sign_in: takesSignIn(server),
        missing: missing.map((name) => ({ name, where: whereToSet })),
        credential: row ? presentCredential(row) : null,
        pending_flow: key !== undefined && pending.has(key),
        waiting_sessions: waiting.get(server.name) ?? [],
      })
    }
    const orphans = [...byKey.values()].map(({ id, server_name, server_url, created_at }) => ({
      id,
      server_name,
      server_url,
      created_at: formatTimestamp(created_at),
    }))
    return { connectors: connectors.toSorted(problemsFirst), orphaned_credentials: orphans }
  })
}

function presentCredential(row: McpCredentialRow): NonNullable<Connector['credential']> {
  return {
    id: row.id,
    created_at: formatTimestamp(row.created_at),
    expires_at: row.expires_at && formatTimestamp(row.expires_at),
    refreshable: isRefreshable(row),
    refresh_token_unsupported: row.refresh_token_unsupported,
    refreshed_at: row.refreshed_at && formatTimestamp(row.refreshed_at),
    problem: row.refresh_error,
    scopes: row.scopes,
  }
}

/** Those that sessions wait for, then those that cannot be used, then by name. */
function problemsFirst(one: Connector, other: Connector): number {
  const rank = ({ waiting_sessions, reason }: Connector): number =>
    waiting_sessions.length > 0 ? 0 : reason === null ? 2 : 1
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1)
}

/** The sign-in of each remote server of a session. */
export async function sessionStatus(app: App, names: readonly string[]) {
  const { connectors } = await listConnectors(app)
  const shown = connectors.filter(({ name, takes_sign_in }) => takes_sign_in && names.includes(name))
  return Object.fromEntries(
    shown.map(({ name, server_url, state, credential, pending_flow }) => [
      name,
      {
        server_url,
        requires_oauth: state !== 'no_credential_required' && state !== 'probe_failed',
        has_credentials: credential !== null,
        credential_valid: state === 'ready',
        pending_flow,
      },
    ]),
  )
}
