import { type AvailabilityState, availabilityOf } from './availability.ts'
import type { Catalog } from './open-catalog.ts'
import { type Selection, serversOf } from './selection.ts'

/** One warning for each MCP server of a session that cannot start now. */
export async function warningsAbout(catalog: Catalog, selection: Selection): Promise<string[]> {
  const tree = catalog.current()
  const warnings: string[] = []
  for (const name of serversOf(tree, selection)) {
    const server = tree.mcpServers.find(name)
    if (!server) continue
    const { state, reason } = await availabilityOf(catalog, server)
    if (reason) warnings.push(`MCP server ${name} cannot start right now (${reason}). ${consequenceOf(state)}`)
  }
  return warnings
}

function consequenceOf(state: AvailabilityState): string {
  return state === 'needs_authorization' || state === 'needs_reauth'
    ? 'The session waits until a person authorizes it.'
    : 'The session runs without it until then.'
}
