import { availabilityOf } from './availability.ts'
import type { Catalog } from './open-catalog.ts'
import { type Selection, serversOf } from './selection.ts'

/** One warning for each MCP server of a session that cannot start now. */
export async function warningsAbout(catalog: Catalog, selection: Selection): Promise<string[]> {
  const tree = catalog.current()
  const warnings: string[] = []
  for (const name of serversOf(tree, selection)) {
    const server = tree.mcpServers.find(name)
    const reason = server && (await availabilityOf(catalog, server)).reason
    if (reason) {
      warnings.push(`MCP server ${name} cannot start right now (${reason}). The session runs without it until then.`)
    }
  }
  return warnings
}
