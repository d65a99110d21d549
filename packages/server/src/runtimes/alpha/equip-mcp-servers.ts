import { join } from 'node:path'
import { readIfPresent, writePrivateFile } from '../../platform/files/private-file.ts'
import type { McpServer } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { fieldsOf, parseFields } from './fields.ts'
import { foldersUpToRepository } from './repository-folders.ts'
import { sessionPaths } from './session-paths.ts'

export async function equipMcpServers(conversation: Conversation, servers: readonly McpServer[]): Promise<string[]> {
  const mcpServers = Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]))
  await writePrivateFile(sessionPaths(conversation).mcpServers, JSON.stringify({ mcpServers }, null, 2))
  const unused = (await namesInRepository(conversation)).filter((name) => !Object.hasOwn(mcpServers, name))
  if (unused.length === 0) return []
  return [`The repository's .mcp.json is not used. Add the servers that the session needs: ${unused.join(', ')}.`]
}

function entryOf(server: McpServer): unknown {
  if (server.kind === 'stdio') return { type: 'stdio', command: server.command, args: server.args, env: server.env }
  return { type: server.kind, url: server.url, headers: server.headers }
}

async function namesInRepository({ workingDirectory }: Conversation): Promise<string[]> {
  const names = new Set<string>()
  for (const folder of await foldersUpToRepository(workingDirectory)) {
    const text = await readIfPresent(join(folder, '.mcp.json'))
    const servers = fieldsOf(text === undefined ? undefined : parseFields(text)?.mcpServers) ?? {}
    for (const name of Object.keys(servers)) names.add(name)
  }
  return [...names]
}
