import { runMarkerVariable } from '../../platform/process/run-marker.ts'
import type { McpServer } from '../equipment.ts'
import type { TomlTable } from './toml.ts'

/** The servers as they stand in the configuration, by the names the agent knows them by. */
export function mcpTables(servers: readonly McpServer[]): TomlTable {
  const tables: Record<string, TomlTable> = {}
  for (const server of servers.filter(isSpoken)) tables[freeName(server.name, tables)] = mcpTable(server)
  return tables
}

/** A sentence for each server that has to be left out. */
export function mcpLeftOut(servers: readonly McpServer[]): string[] {
  return servers
    .filter((server) => !isSpoken(server))
    .map(
      ({ name }) =>
        `The MCP server ${name} is left out: Codex does not speak MCP over server-sent events (sse); offer it over http.`,
    )
}

function isSpoken(server: McpServer): boolean {
  return server.kind !== 'sse'
}

/** Other characters keep a server from starting. Two names that become one thereby are numbered. */
function freeName(name: string, taken: Readonly<Record<string, unknown>>): string {
  const plain = name.replace(/[^\w:@/.-]/g, '_') || '_'
  let free = plain
  for (let count = 2; Object.hasOwn(taken, free); count += 1) free = `${plain}_${count}`
  return free
}

function mcpTable(server: McpServer): TomlTable {
  const patience = { startup_timeout_sec: startSeconds, tool_timeout_sec: callSeconds }
  if (server.kind !== 'stdio') return { url: server.url, http_headers: { ...server.headers }, ...patience }
  return {
    command: server.command,
    args: server.args,
    env: { ...server.env },
    // A server gets little more than PATH and HOME; with this it is found when its turn is stopped.
    env_vars: [runMarkerVariable],
    ...patience,
  }
}

/** `npx` may have to fetch the server first. */
const startSeconds = 60

/** A tool may wait for a build, or for another session. */
const callSeconds = 900
