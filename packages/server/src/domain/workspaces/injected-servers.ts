import type { McpServer } from '../../runtimes/equipment.ts'
import type { App } from '../app.ts'
import { serviceServers } from '../catalog/catalog.ts'
import type { SessionRow } from '../sessions/session.ts'

declare module '../app.ts' {
  interface App {
    /** Where agents of this host reach the service; nothing on a host that does not know. */
    serviceUrl: Promise<string | undefined>
  }
}

/**
 * The service itself as a server of tools, which every agent gets besides what was chosen for it: for its own session, and
 * where its root names roots for subagents another to start sessions on those. What the catalog offers of the same name or
 * for the same purpose is not given twice.
 */
export async function injectedServers(
  app: App,
  session: SessionRow,
  { chosen, key }: { chosen: readonly McpServer[]; key: string },
): Promise<McpServer[]> {
  const base = await app.serviceUrl
  if (base === undefined) return []
  const offer = (name: string, query: Record<string, string>): McpServer => ({
    name,
    kind: 'http',
    url: `${base}/mcp?${new URLSearchParams({ ...query, session_id: String(session.id) })}`,
    headers: { 'X-API-Key': key },
  })
  const roots = subagentRootsOf(app, session)
  return [
    chosen.some(coversOwnSession) ? [] : offer(serviceServers.ownSession, { tool_groups: 'self_session' }),
    roots.length === 0 || chosen.some(({ name }) => name === serviceServers.subagents)
      ? []
      : offer(serviceServers.subagents, { allowed_agent_roots: roots.join(',') }),
  ].flat()
}

/** The roots on which the agent of a session may start sessions of its own. */
export function subagentRootsOf(app: App, { metadata: { agent_root_key: key } }: SessionRow): readonly string[] {
  return typeof key === 'string' ? (app.catalog.current().roots.find(key)?.defaultSubagentRoots ?? []) : []
}

function coversOwnSession(server: McpServer): boolean {
  if (server.kind === 'stdio' || !URL.canParse(server.url)) return false
  if (!/^yardmaster(?:-|$)/.test(server.name)) return false
  const groups = new URL(server.url).searchParams.get('tool_groups')
  return groups === null || groups.split(',').includes('self_session')
}
