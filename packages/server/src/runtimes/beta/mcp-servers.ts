import { limits } from '@yardmaster/contract/limits'
import { runMarkerVariable } from '../../platform/process/run-marker.ts'
import type { McpServer } from '../equipment.ts'
import type { TomlTable } from './toml.ts'

/** The servers as tables of codex's configuration, by the names under which the agent knows them. */
export function mcpTables(servers: readonly McpServer[]): TomlTable {
  return Object.fromEntries([...byCodexName(servers)].map(([name, server]) => [name, mcpTable(server)]))
}

/** The servers by the names under which codex knows them. */
export function byCodexName(servers: readonly McpServer[]): Map<string, McpServer> {
  const named = new Map<string, McpServer>()
  for (const server of servers.filter(isSupported)) named.set(freeName(server.name, named), server)
  return named
}

/** A sentence for each server that codex cannot use. */
export function mcpLeftOut(servers: readonly McpServer[]): string[] {
  return servers
    .filter((server) => !isSupported(server))
    .map(
      ({ name }) =>
        `The MCP server ${name} is left out: Codex does not speak MCP over server-sent events (sse); offer it over http.`,
    )
}

function isSupported(server: McpServer): boolean {
  return server.kind !== 'sse'
}

/** Codex does not start a server with other characters in its name. Adds a number if two names become equal. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replace(/[^\w:@/.-]/g, '_') || '_'
  let free = plain
  for (let count = 2; taken.has(free); count += 1) free = `${plain}_${count}`
  return free
}

function mcpTable(server: McpServer): TomlTable {
  const timeouts = { startup_timeout_sec: startSeconds, tool_timeout_sec: callSeconds }
  if (server.kind !== 'stdio') return { url: server.url, http_headers: { ...server.headers }, ...timeouts }
  return {
    command: server.command,
    args: server.args,
    env: { ...server.env },
    // Codex passes little more than PATH and HOME. The sweep at the end of a turn needs the marker.
    env_vars: [runMarkerVariable],
    ...timeouts,
  }
}

/** `npx` may have to download the server first. */
const startSeconds = 60

/** A tool may wait for a build, for another session, or for a person to answer it. */
const callSeconds = limits.elicitation.windowMinutes.max * 60
