import type { Transaction } from '../../platform/db/database.ts'
import { availabilityOf } from './availability.ts'
import type { Catalog } from './open-catalog.ts'
import { type Selection, serversOf } from './selection.ts'

/** A server that a user must sign in to first. Exposes only its address, no other configuration. */
export type ServerToAuthorize = { server_name: string; server_url: string }

export async function serversToAuthorize(
  catalog: Catalog,
  selection: Pick<Selection, 'mcp_servers' | 'catalog_plugins'>,
  tx: Transaction,
): Promise<ServerToAuthorize[]> {
  const tree = catalog.current()
  const found: ServerToAuthorize[] = []
  for (const name of serversOf(tree, selection)) {
    const server = tree.mcpServers.find(name)
    if (!server || server.transport.kind === 'stdio') continue
    const { state } = await availabilityOf(catalog, server, tx)
    if (state !== 'needs_authorization' && state !== 'needs_reauth') continue
    found.push({ server_name: name, server_url: server.transport.url })
  }
  return found
}
