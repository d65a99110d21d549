import { type Transact, transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { Equipment, McpServer } from '../../runtimes/equipment.ts'
import type { App } from '../app.ts'
import { type CatalogEquipment, equipFromCatalog, goalText, namesUsedBy } from '../catalog/catalog.ts'
import { freshenVended } from '../credentials/credential.ts'
import type { SessionRow } from '../sessions/session.ts'
import { recordInjectedServers } from '../sessions/session.ts'
import { asksPeople, injectedServers, rootOf, throughGateway } from './injected-servers.ts'

export type SessionEquipment = {
  equipment: Equipment
  /** One sentence for each selected item that is not available. */
  leftOut: string[]
}

type Given = {
  goal: string | null
  key: string
  /** For the agent and every MCP server that it starts. Overrides what the catalog gives a server. */
  environment: Readonly<Record<string, string>>
  write: Transact
}

/** The equipment of a session's agent for one turn, from the current catalog. */
export async function equipmentOf(
  app: App,
  session: SessionRow,
  { goal, key, environment, write }: Given,
): Promise<SessionEquipment> {
  await untilReachable(() => freshenVended(app, namesUsedBy(app.catalog.current(), session)))
  const { mcpServers: chosen, signedIn, skills, hooks, leftOut } = await chosenOf(app, session)
  const injected = await injectedServers(app, session, { chosen, key })
  await recordInjected(session, injected, write)
  const sentences = leftOut.map(({ sentence }) => sentence)
  return {
    equipment: {
      instructions: instructions(app, session, { goal, leftOut: sentences }),
      mcpServers: [...(await throughGateway(app, chosen, { signedIn, key })), ...injected].map((server) =>
        withEnvironment(server, environment),
      ),
      skills,
      hooks,
      // Settings of a repository can permit tools, which people are to decide about.
      usesRepositoryConfiguration:
        !asksPeople(app, session) && (rootOf(app, session)?.usesRepositoryConfiguration ?? false),
      environment,
    },
    leftOut: sentences,
  }
}

function chosenOf(app: App, session: SessionRow): Promise<CatalogEquipment> {
  const hasServers = session.mcp_servers.length + session.catalog_plugins.length > 0
  if (!hasServers) return equipFromCatalog(app.catalog, session)
  return untilReachable(() => transact(app.db, (tx) => equipFromCatalog(app.catalog, session, tx)))
}

/** Some agents start servers with little more than the environment that is written for them. */
function withEnvironment(server: McpServer, environment: Given['environment']): McpServer {
  return server.kind === 'stdio' ? { ...server, env: { ...server.env, ...environment } } : server
}

async function recordInjected(session: SessionRow, servers: readonly McpServer[], write: Transact): Promise<void> {
  const names = servers.map(({ name }) => name)
  if (names.join() === session.injected_mcp_servers.join()) return
  await write((tx) => recordInjectedServers(tx, session.id, names))
}

type InstructionParts = { goal: string | null; leftOut: readonly string[] }

function instructions(app: App, { session_notes: notes }: SessionRow, { goal, leftOut }: InstructionParts): string {
  return [
    goal ? `The goal of this session:\n${goalText(app, goal)}` : [],
    notes ? `Notes about this session:\n${notes}` : [],
    leftOut.length > 0
      ? `Some items that were selected for this session are not available:\n${leftOut.join('\n')}`
      : [],
  ]
    .flat()
    .join('\n\n')
}
