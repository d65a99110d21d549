import type { McpServer as AcpMcpServer } from '@agentclientprotocol/sdk'
import { runMarkerVariable } from '../../platform/process/run-marker.ts'
import type { McpServer } from '../equipment.ts'
import type { Capabilities } from './messages.ts'

/** The servers in the protocol's form, and a sentence for each that the agent does not support. */
export function mcpServers(
  servers: readonly McpServer[],
  supports: Capabilities['mcpCapabilities'],
  marker: string,
): { servers: AcpMcpServer[]; leftOut: string[] } {
  const isSupported = ({ kind }: McpServer): boolean => kind === 'stdio' || supports[kind]
  return {
    servers: servers.filter(isSupported).map((server) => describe(server, marker)),
    leftOut: servers
      .filter((server) => !isSupported(server))
      .map(({ name, kind }) => `The MCP server ${name} is left out: the agent does not speak MCP over ${kind}.`),
  }
}

function describe(server: McpServer, marker: string): AcpMcpServer {
  const { name } = server
  if (server.kind !== 'stdio') return { type: server.kind, name, url: server.url, headers: pairs(server.headers) }
  // Agents start servers with little more than this environment. The sweep at the end of a turn needs the marker.
  const env = pairs({ ...server.env, [runMarkerVariable]: marker })
  return { name, command: server.command, args: [...server.args], env }
}

function pairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }))
}
