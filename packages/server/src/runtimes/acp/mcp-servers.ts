import type { McpServer as AcpMcpServer } from '@agentclientprotocol/sdk'
import { runMarkerVariable } from '../../platform/process/run-marker.ts'
import type { McpServer } from '../equipment.ts'
import type { Abilities } from './messages.ts'

/** The servers as the protocol names them, and a sentence for each that the agent cannot reach. */
export function mcpServers(
  servers: readonly McpServer[],
  reaches: Abilities['mcpCapabilities'],
  marker: string,
): { servers: AcpMcpServer[]; leftOut: string[] } {
  const isReached = ({ kind }: McpServer): boolean => kind === 'stdio' || reaches[kind]
  return {
    servers: servers.filter(isReached).map((server) => describe(server, marker)),
    leftOut: servers
      .filter((server) => !isReached(server))
      .map(({ name, kind }) => `The MCP server ${name} is left out: the agent does not speak MCP over ${kind}.`),
  }
}

function describe(server: McpServer, marker: string): AcpMcpServer {
  const { name } = server
  if (server.kind !== 'stdio') return { type: server.kind, name, url: server.url, headers: pairs(server.headers) }
  // Agents start servers with little more than what is said here; with the marker they are found when the turn ends.
  const env = pairs({ ...server.env, [runMarkerVariable]: marker })
  return { name, command: server.command, args: [...server.args], env }
}

function pairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }))
}
