import type { McpServer } from '../../runtimes/equipment.ts'
import type { App } from '../app.ts'
import { type Root, serviceServers } from '../catalog/catalog.ts'
import { readMetadata, type SessionRow } from '../sessions/session.ts'
import type { AgentPermission, Group } from '../tool.ts'

declare module '../app.ts' {
  interface App {
    /** The address at which agents of this host reach the service. Undefined if the host has none. */
    serviceUrl: Promise<string | undefined>
  }
}

/**
 * MCP servers that every agent gets besides the selected ones, both provided by the service itself: one for its own
 * session, and one to start sessions on the subagent roots of its root, if it has any. A selected server with the same
 * name or purpose replaces the injected one.
 */
export async function injectedServers(
  app: App,
  session: SessionRow,
  { chosen, key }: { chosen: readonly McpServer[]; key: string },
): Promise<McpServer[]> {
  const base = await app.serviceUrl
  if (base === undefined) return []
  const serverFor = (name: string, query: Record<string, string>): McpServer => ({
    name,
    kind: 'http',
    url: `${base}/mcp?${new URLSearchParams({ ...query, session_id: String(session.id) })}`,
    headers: { 'X-API-Key': key },
  })
  const roots = subagentRootsOf(app, session)
  return [
    chosen.some(coversOwnSession)
      ? []
      : serverFor(serviceServers.ownSession, { tool_groups: ownGroupsOf(app, session).join(',') }),
    roots.length === 0 || chosen.some(({ name }) => name === serviceServers.subagents)
      ? []
      : serverFor(serviceServers.subagents, { allowed_agent_roots: roots.join(',') }),
  ].flat()
}

/**
 * An agent reaches a server with a stored token through us, by the key of its turn: we add the token, so that it is neither in a file
 * nor in the agent's memory (docs/decisions/0101).
 */
export async function throughGateway(
  app: App,
  servers: readonly McpServer[],
  { signedIn, key }: { signedIn: ReadonlyMap<string, string>; key: string },
): Promise<McpServer[]> {
  const base = await app.serviceUrl
  return servers.map((server) => {
    const declaredName = signedIn.get(server.name)
    if (server.kind === 'stdio' || declaredName === undefined || base === undefined) return server
    return {
      ...server,
      url: `${base}${gatewayPath}/${encodeURIComponent(declaredName)}`,
      headers: { 'X-API-Key': key },
    }
  })
}

export const gatewayPath = '/mcp_gateway'

/** The groups of tools that every agent of the session's root has. */
export function ownGroupsOf(app: App, session: SessionRow): Group[] {
  const allowed = rootOf(app, session)?.allowsAgents ?? []
  return ['self_session', ...new Set(allowed.flatMap((permission) => groupsByPermission[permission] ?? []))]
}

/** The tool about the transcript archive is among those for reading sessions; the others of that group are about its own. */
const groupsByPermission: Readonly<Partial<Record<AgentPermission, readonly Group[]>>> = {
  maintain: ['sessions_readonly', 'health'],
  see_operations: ['sessions_readonly', 'health_readonly'],
  work_backlog: ['work_backlog'],
  gate_decisions: ['gate_decisions'],
}

/** The roots on which the agent of a session may start sessions. */
export function subagentRootsOf(app: App, session: SessionRow): readonly string[] {
  return rootOf(app, session)?.defaultSubagentRoots ?? []
}

/** The root that the session was created from, as the catalog has it now. */
export function rootOf(app: App, session: SessionRow): Root | undefined {
  const { agent_root_key: key } = readMetadata(session)
  return key === undefined ? undefined : app.catalog.current().roots.find(key)
}

/**
 * Whether people are asked for what the session's agent may do: by the session's own wish, or because its root demands it now or
 * did when the session was created. A root that is renamed or removed lifts no demand.
 */
export function asksPeople(app: App, session: SessionRow): boolean {
  return (
    session.config.permissions === 'ask' ||
    readMetadata(session).asks_people === true ||
    rootOf(app, session)?.permissions === 'ask'
  )
}

function coversOwnSession(server: McpServer): boolean {
  if (server.kind === 'stdio' || !URL.canParse(server.url)) return false
  if (!/^yardmaster(?:-|$)/.test(server.name)) return false
  const groups = new URL(server.url).searchParams.get('tool_groups')
  return groups === null || groups.split(',').includes('self_session')
}
